// Package database is one served ontology: its storage, the engine that answers, and what
// the sessions of a gateway share of it. That is the newest pin, the mirror, the versions
// of pg_catalog that transactions read, the times of commits, the counts of unreadable
// values, the result cache, the query log, the advisory locks, the channels of NOTIFY,
// with those on which the gateway itself tells of commits and events (decision A73), and the order
// in which statements write a type. It also defines the engine's functions that
// act on a session (Caller).
//
// The package knows no session but through Caller, and plans no statement.
package database
