// Package syntax reads the text of statements: it splits a simple-query string, parses with
// PostgreSQL's grammar, cuts out FOR SYSTEM_TIME clauses, classifies the statement and its
// options, and finds the relations it refers to. It resolves no names and infers no types.
// No other room calls the parser.
package syntax
