// Package events keeps the event bus in the SQLite file of an ontology: in the four tables of the
// original library (seed 002 section 9), which its workers use as well. Insert puts events into the
// transaction of a commit.
package events
