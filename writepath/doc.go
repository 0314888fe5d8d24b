// Package writepath is the only one that swaps a head or writes objects under meta/ (decision
// A34). It initialises stores, checks what the credentials allow, and commits: a Committer
// takes the lock, uploads the objects and swaps the head, for all transactions that wait
// together. PROTOCOL.md describes it.
//
// Rows are bytes with an identity here, and there is no SQL. The caller is responsible for
// what a transaction read and for rows that fit their schema. This package guarantees that no
// other transaction wrote the same identities in the meantime, and that the schema has not
// changed.
package writepath
