// Package parts runs statements whose WITH clause writes: INSERT, UPDATE, DELETE, MERGE or an
// action in a WITH query, and the statement that reads what they return. Each part is run to its end, and
// all see the same snapshot, so that none sees what another has written; what they return is in
// tables of the engine. The caller commits.
package parts
