// Package resolver turns a head and a window into the files that hold a type's
// rows. It pins: one consistent look at a store's head, its chain of manifests
// and its schema objects, which everything a statement reads is resolved
// against (I6). It lists the files of a window from the manifest log and, where
// an index names a compaction snapshot that can be believed, takes the snapshot
// in their place.
//
// It opens no data file and writes nothing to the store.
package resolver
