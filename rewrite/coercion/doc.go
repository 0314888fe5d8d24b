// Package coercion brings typed expressions to other types: implicit, assignment and explicit
// casts, untyped literals and parameters, common types of several expressions, the digits of
// numerics, and the choice among overloads (PostgreSQL manual, chapter 10). It resolves no
// parse nodes.
package coercion
