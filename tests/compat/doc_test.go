// Package compat runs the same statements on PostgreSQL 15 and on ontosql's rewriter with
// DuckDB and compares the answers: column names and types, rows, command tags, and the SQLSTATE
// and position of errors. The corpus in corpus/ only grows. differences.txt lists the known
// differences, each with its reason and with what is still compared. inputs.txt holds texts of
// every type, which run as literals, casts and parameters (TestInputTexts). TestWrites compares
// the whole gateway: random programs of transactions and INSERTs over an ontology and over
// equal tables.
package compat
