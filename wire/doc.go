// Package wire implements the server side of the PostgreSQL protocol (manual, chapter 55). It
// handles bytes and messages. A Handler executes the statements; the package gateway implements it.
//
// Each connection has one goroutine. It reads frames from the socket, calls the Handler and writes
// the answers into a buffer. The buffer is sent when it is full, and before the goroutine waits for
// the client (decision A1). If a statement runs for long, another goroutine reads ahead into a bounded
// queue, so that the server notices when the client disconnects. pgproto3 decodes and encodes
// messages, with two exceptions: the package reads frames itself, so that the length in a header
// cannot cause a large allocation, and it encodes rows directly from batches.
package wire
