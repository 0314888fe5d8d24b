// Package dbschema describes the tables of an ontology's SQLite file: their DDL, the
// columns that old files lack, the queries that read the history tables, and the rows of
// the schema registry. It does not interpret the schemas stored there.
package dbschema
