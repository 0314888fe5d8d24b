// Package rewrite turns the SQL of a PostgreSQL client into the SQL that DuckDB
// runs. It is pure: text and facts in, text and facts out, no I/O, no clock.
// Between its steps the session does the I/O:
//
//	texts, err := syntax.Split(sql)                     // a simple-query string
//	st, err := syntax.Analyze(texts[0].SQL)             // kind, tag, references
//	shapes := ...                                       // the session resolves st.Refs
//	sc, err := rewrite.Scope(st, shapes, paramOIDs, env) // names, types, what each reference needs
//	sources := ...                                      // the session finds the data of each reference
//	sql, err := sc.Bind(sources)                        // DuckDB SQL
//
// An INSERT, UPDATE or MERGE goes the same way and comes out as one query of the
// rows that it changes, what is done with each, and what RETURNING shows of it:
//
//	w, err := rewrite.ScopeWrite(st, target, shapes, conflict, paramOIDs, env)
//	sql, err := w.Rows.Bind(append(sources, stored)) // stored if w.Matches
//
// ParseDefinition, ParseAlteration, ParseDrops and ParseComment read a statement of DDL and
// check what can be checked without the catalog. The session adds what LIKE, a query or the
// columns of an altered table bring (Definition.Include and Select, Expression.Default).
// The rows that an ALTER TABLE writes are a query, too:
//
//	a, err := rewrite.ParseAlteration(st, env)
//	sc, err := rewrite.ScopeMigration(table, columns, env)
//	sql, err := sc.Bind([]string{source})
//
// The grammar is PostgreSQL's own (decision A5). The DuckDB SQL is printed node
// by node, so that nothing reaches the engine which this room does not know: an
// unknown node, function or operator is an error and never passes through.
// Names are resolved and types inferred here, because PostgreSQL's meaning of an
// expression (1/2 = 0, sum(bigint) is numeric) hangs on its types.
//
// Every error a client can cause is a *pgerr.Error with the SQLSTATE, message
// and position PostgreSQL gives; positions count characters of the text that
// Analyze was given, from 1.
package rewrite
