// Package types is the type system of PostgreSQL as rewrite needs it: the table of types
// with their OIDs, categories and engine types, the casts between them, type modifiers, the
// digits of numerics, and the fields of records. It knows no expressions and no SQL.
package types
