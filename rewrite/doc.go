// Package rewrite turns the SQL of a PostgreSQL client into the SQL that DuckDB
// runs. It is pure: text and facts in, text and facts out, no I/O, no clock.
// Between its steps the session does the I/O:
//
//	texts, err := rewrite.Split(sql)            // a simple-query string
//	st, err := rewrite.Analyze(texts[0].SQL)    // kind, tag, references
//	shapes := ...                               // the session resolves st.Refs
//	sc, err := st.Scope(shapes, paramOIDs, env) // names, types, what each reference needs
//	sources := ...                              // the session finds the data of each reference
//	sql, err := sc.Bind(sources)                // DuckDB SQL
//
// An INSERT, UPDATE or MERGE goes the same way and comes out as one query of the
// rows that it changes, what is done with each, and what RETURNING shows of it:
//
//	w, err := st.ScopeWrite(target, shapes, conflict, paramOIDs, env)
//	sql, err := w.Rows.Bind(append(sources, stored)) // stored if w.Matches
//
// A statement of DDL says what it asks for (Definition, Alteration, Drops, Comment),
// checked as far as the statement alone tells. What LIKE, a query or the columns of an
// altered table add is checked when the session brings it (Definition.Include and
// Select, Expression.Default). The rows that an ALTER TABLE writes are a query, too:
//
//	a, err := st.Alteration(env)
//	sc, err := ScopeMigration(table, columns, env)
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
