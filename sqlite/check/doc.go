// Package check verifies an ontology in a SQLite file: pages, tables, commits, schema
// versions, rows, layouts and the lock. It reads only. It also lists the rows that a commit
// wrote.
package check
