// Package wire speaks the PostgreSQL protocol (manual, chapter 55) to one
// client per session: it knows bytes and no meaning. What a statement means is
// the Handler's, which the gateway is.
//
// A connection is handled by one goroutine. It reads frames from the socket, calls
// the Handler and writes the answers into one buffer, which it sends before it
// waits for the client or when the buffer is full (decision A1). Only while a
// statement takes long does another goroutine read ahead into a bounded inbox,
// and so notice that the client has gone. Messages are decoded and encoded by
// pgproto3, except the two that cost: frames are read by our own reader, which
// never allocates what was only announced, and rows are appended to the buffer
// straight from batches.
package wire
