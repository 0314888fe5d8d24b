// Package relation is what a name in a statement refers to. A Resolver finds the Relation
// that a reference names at a pin: a window of a type, a relation of the schema ontosql, or
// one of pg_catalog or information_schema. NarrowWindow and KeyBounds apply the conditions
// of the WHERE clause to the window of a type: the commits and the keys that can matter.
//
// The package reads no rows.
package relation
