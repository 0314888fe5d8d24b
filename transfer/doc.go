// Package transfer exports and imports rows as lines of JSON, and copies whole histories
// between stores of any kind.
//
// Data is read through a Source, one store at one pin, so that writers can continue. Results
// become visible in one step at the end: files by a rename, rows by one commit, a history by
// its head.
//
// It does not open stores by address and knows no SQL; cmd/ontosql and the gateway do.
package transfer
