// Package resolver finds the files that hold a type's rows for a head and a window. A pin
// is one consistent state of the store: head, manifest chain and schema objects.
// Everything that a statement reads is resolved at one pin (I6). The files of a window
// come from the manifest log. Where an index names a valid compaction snapshot, the
// snapshot replaces the files that it contains.
//
// The package opens no data file and writes nothing to the store.
package resolver
