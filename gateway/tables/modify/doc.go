// Package modify writes the rows that a statement has computed to an ordinary table, as
// PostgreSQL's ModifyTable node does. It checks the constraints in PostgreSQL's order and with its
// errors, ends the old rows and inserts the new ones, in one short transaction of the engine. It
// also checks deferred constraints and ends the session's transaction for its ordinary tables.
package modify
