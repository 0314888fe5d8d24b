// Package commit commits transactions to the ontology in a SQLite file. Transactions that
// wait at the same time share one SQLite transaction, and each has a commit of its own.
// sqlite/PROTOCOL.md describes the steps and what happens when one fails.
package commit
