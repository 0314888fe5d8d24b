// Package tables runs statements on ordinary tables (package workspace): it defines them and
// writes the rows that a statement has computed. A write checks the constraints in
// PostgreSQL's order and with its errors, ends the old rows and inserts the new ones, in one
// short transaction of the engine.
package tables
