// Package workspace keeps ordinary tables beside an ontology, in the engine: the temporary
// tables of sessions, and the schemas that all sessions share, in a file (Store, decision A55).
//
// A table is a definition and a heap. Definitions are values: a change makes a new set of
// Objects, and a transaction that rolls back keeps the old one. A heap is one table of the
// engine whose columns are named by numbers. Each row has the transaction that inserted it and
// the one that deleted it, as PostgreSQL's xmin and xmax. A statement sees the rows of its
// snapshot, and a savepoint can be rolled back (decision A53).
//
// The package does not parse SQL of clients and does not know gateway sessions. Its callers
// compute the rows that a statement writes.
package workspace
