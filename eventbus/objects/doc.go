// Package objects keeps the event bus in a bucket: an object for each event, claim, dead letter and
// session (seed 000 section 15), decided by conditional writes. The original's workers use the same
// objects.
//
// A worker does not read the whole log at every poll. For each handler it remembers which events are
// not done (tracker), and lists only the keys of the last minutes; every few minutes it lists all
// keys, to find what arrived late. What it remembers is bounded, and losing it costs requests only.
package objects
