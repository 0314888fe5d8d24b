// Package session is the state of one client's session, and what works on nothing else: the
// settings (SET, set_config), the transaction with what it has staged, the session's
// connection to the engine, what is reported to the client and to other sessions, and the
// functions that the engine or the rewriter asks the session for.
//
// It knows no statements and no portals. How a statement reads is package reading, how it
// writes package writing, and which of them a statement needs is decided in package gateway.
package session
