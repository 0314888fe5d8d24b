// Package compat asks PostgreSQL 15 and ontosql's rewriter with DuckDB the same
// questions and compares what they answer: column names and types, rows,
// command tags, and the SQLSTATE and position of errors. The corpus in corpus/
// only grows; differences that are known stand in differences.txt with their
// reason and with what they are held to all the same. inputs.txt has texts of every type, given as literals, casts and
// parameters (TestInputTexts). TestWrites asks the whole gateway instead: random programs of
// transactions and INSERTs over an ontology and over equal tables.
package compat
