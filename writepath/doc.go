// Package writepath is the only room that swaps a head or puts an object under
// meta/ (decision A34). It initialises stores, asks a store what the credentials
// can do, and commits: a Committer takes transactions from any number of
// goroutines through lock, upload and head swap, together where they wait
// together. PROTOCOL.md draws it.
//
// It knows rows as bytes with an identity, and no SQL. What a transaction read,
// and whether its rows fit their schema, is the caller's business; that nobody
// else wrote the same identities meanwhile, and that the schema is still the
// one, is this room's.
package writepath
