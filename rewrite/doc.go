// Package rewrite turns the SQL of a PostgreSQL client into the SQL that DuckDB
// runs. It is pure: text and facts in, text and facts out, no I/O, no clock.
// Between its steps the session does the I/O:
//
//	texts, err := syntax.Split(sql)                     // a simple-query string
//	st, err := syntax.Analyze(texts[0].SQL)             // kind, tag, references
//	shapes := ...                                       // the session resolves st.Refs
//	sc, err := query.Scope(st, shapes, paramOIDs, env)   // names, types, what each reference needs
//	sources := ...                                      // the session finds the data of each reference
//	sql, err := sc.Bind(sources)                        // DuckDB SQL
//
// An INSERT, UPDATE or MERGE goes the same way and comes out as one query of the
// rows that it changes, what is done with each, and what RETURNING shows of it:
//
//	w, err := dml.Scope(st, target, shapes, conflict, paramOIDs, env)
//	sql, err := w.Rows.Bind(append(sources, stored)) // stored if w.Matches
//
// ParseDefinition, ParseAlteration, ParseDrops and ParseComment read a statement of DDL and
// check what can be checked without the catalog. The session adds what LIKE, a query or the
// columns of an altered table bring (Definition.Include and Select, Expression.Default).
// The rows that an ALTER TABLE writes are a query, too:
//
//	a, err := ddlstmt.ParseAlteration(st, env)
//	sc, err := ddlstmt.ScopeMigration(table, columns, env)
//	sql, err := sc.Bind([]string{source})
//
// The rooms, leaves first; each imports only rooms above it in this list:
//
//	types       PostgreSQL's types, casts between them, digits of numerics
//	enginesql   SQL text for the engine: quoting, placeholders, macro names
//	input       input functions of types
//	casts       printing conversions and literals
//	syntax      splitting, parsing, classifying; references and FOR SYSTEM_TIME
//	macros      SQL macros that the engine runs
//	functions   tables of functions, aggregates and operators: a new function is a line here
//	rowexpr     plain expressions over a row, evaluated without the engine
//	scope       names, needs of references, parameters, the bound statement
//	coercion    coercion, literals, overload resolution
//	jsontext    the SQL that makes JSON of values
//	expression  operators, calls, aggregates, windows, subqueries
//	defaults    DEFAULT and USING expressions
//	query       SELECT, FROM, WITH, set operations
//	dml         INSERT, UPDATE, MERGE
//	ddlstmt     CREATE, ALTER, DROP, COMMENT
//
// This package itself has no code. Its tests rewrite whole statements.
//
// The grammar is PostgreSQL's own (decision A5). The DuckDB SQL is printed node
// by node, so that nothing reaches the engine which these rooms do not know: an
// unknown node, function or operator is an error and never passes through.
// Names are resolved and types inferred here, because PostgreSQL's meaning of an
// expression (1/2 = 0, sum(bigint) is numeric) hangs on its types.
//
// Every error a client can cause is a *pgerr.Error with the SQLSTATE, message
// and position PostgreSQL gives; positions count characters of the text that
// Analyze was given, from 1.
package rewrite
