// Package scope holds what the analysis of one statement knows: the facts that the session
// gives (Shape, Env), what each reference needs (Need), the query levels and the columns
// that can be named in them, typed expressions, parameters, and the outcome (Scoped),
// which Bind turns into the engine's SQL. It resolves names and types no expressions.
package scope
