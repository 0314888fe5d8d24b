// Package gc finds and removes the objects of a store that nothing can be read by any more:
// attempts that did not become commits, and snapshots that no index names (seed 004, decision
// A62).
//
// It looks below commits/ and snapshots/ only and removes only what it recognises there. It
// decides by the manifests of the whole chain and by the indexes, never by age alone, and does
// nothing if any of the chain's objects is missing or damaged: what looks like garbage may then
// be all that is left.
package gc
