// Package query resolves and prints queries: SELECT, VALUES, set operations, FROM, WITH,
// grouping, ordering and LIMIT. Scope is its door: it resolves a statement of kind Select.
package query
