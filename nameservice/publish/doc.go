// Package publish tells the name service what a process does with an ontology (A84). A Publisher
// pushes the head after commits, the index after publications of the indexes, and figures of the
// status. Nothing waits for it and nothing fails by it: what could not be pushed is pushed later.
// Under does maintenance under a soft lock.
//
// The room knows no store. Whoever commits, and whoever builds indexes, calls the Publisher.
package publish
