// Package eventbus defines the event bus of an ontology: events that are sent once, and claims by
// which each handler works through them with leases, retries and dead letters (seed 000 section
// 15, seed 002 section 9). Bus is the contract, and the rules of claims are functions here that
// need no I/O, so that every kind of store decides alike.
//
// The room does not keep anything itself: eventbus/objects keeps events in a bucket, sqlite/events
// in a SQLite file, and eventbus/eventbustest is the suite that both must pass. It does not run
// handlers either.
package eventbus
