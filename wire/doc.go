// Package wire speaks the PostgreSQL protocol (manual, chapter 55) to one
// client per session: it knows bytes and no meaning. What a statement means is
// the Handler's, which the gateway is.
//
// A connection is handled by two goroutines. One reads frames from the socket
// into a bounded inbox and so notices that a client has gone while a statement
// runs; the other takes them out, calls the Handler and writes the answers into
// one buffer, which it sends when the inbox is empty or the buffer full
// (decision A1). Messages are decoded and encoded by pgproto3, except the two
// that cost: frames are read by our own reader, which never allocates what was
// only announced, and rows are appended to the buffer straight from batches.
package wire
