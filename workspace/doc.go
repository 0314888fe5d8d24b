// Package workspace keeps ordinary tables beside an ontology, in the engine: the temporary
// tables of sessions, and the schemas that all sessions share, in a file (Store, decision A55).
//
// A table is a definition and a heap. Definitions are values: a change makes a new set of
// Objects, and a transaction that rolls back keeps the old one. A heap is one table of the
// engine with neutral names. Each of its rows has the transaction that made it and the one
// that ended it, as PostgreSQL's xmin and xmax, so that a statement sees the rows of its
// snapshot, and a savepoint can be rolled back (decision A53).
//
// The package knows no SQL of clients and no sessions: which rows a statement writes is
// computed before it gets here.
package workspace
