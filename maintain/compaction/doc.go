// Package compaction merges the data files of a type into snapshots, and verifies and repairs
// the indexes that name files and snapshots (seed 001 section 6, COMPAT 3.7).
//
// A snapshot has the rows of a range of commits, in the order of the commits and of their files,
// so that no answer changes (I8). The files and manifests of the commits stay. Snapshots are
// built without the write lock, because nothing that they are made of ever changes; the lock is
// held only while an index is replaced, for a few requests, so that no commit waits longer.
//
// The package writes objects below snapshots/ and, through writepath, indexes. It never moves a
// head and deletes nothing.
package compaction
