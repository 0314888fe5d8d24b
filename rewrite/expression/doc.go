// Package expression types and prints the expressions of a statement: operators, function
// calls, aggregates, window functions, CASE, arrays, rows and subqueries. Queries within
// expressions are resolved through the interface Subqueries, which package query implements.
package expression
