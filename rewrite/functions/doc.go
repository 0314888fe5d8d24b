// Package functions is the table of PostgreSQL's functions, aggregates and operators: their
// overloads, result types, and the engine's SQL for them. A function is added by a line in
// one of the tables (table*.go) and a line in the corpus of tests/compat. Overload
// resolution, which looks at expressions, is not here.
package functions
