// Package transfer is the room of moving: an ontology's newest or past state to
// lines of JSON and back, and a whole history from one store to another, whatever
// each of them is kept in.
//
// Everything is read through a Source, one store at one pin, so that writers may
// go on meanwhile. What is written becomes visible in one step at the end: files
// by a rename, rows by one commit, a history by its head.
//
// It opens no store by an address and knows no SQL; cmd/ontosql does the one, the
// gateway the other.
package transfer
