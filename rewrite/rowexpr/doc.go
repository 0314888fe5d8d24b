// Package rowexpr evaluates plain expressions over one row without the engine: constants,
// parameters, columns, comparisons of values of one type, AND, OR, NOT, IS NULL, arithmetic of
// integers and double precision, sums and differences of numerics, coalesce, the concatenation of
// texts, conversions to a wider number, and what an assignment does to numerics, documents and texts.
//
// While rewrite resolves an expression it builds, besides the engine's SQL, the Expr of the same
// meaning (scope.Expr.Means). What this room does not know has no Expr, and the engine computes it.
// An Expr is compiled into a Func once and evaluated for each row.
//
// Values are as the engine computes them. Errors are not: where a Func returns one, the caller asks
// the engine, which gives the client's error, or an answer after all. Operands are therefore
// evaluated even if the others determine the result.
package rowexpr
