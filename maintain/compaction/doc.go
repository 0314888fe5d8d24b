// Package compaction merges the data files of a type into snapshots, and verifies and repairs
// the indexes that name files and snapshots (seed 001 section 6, COMPAT 3.7).
//
// A snapshot has the rows of a range of commits, in the order of the commits and of their files,
// so that no answer changes (I8). The files and manifests of the commits stay. Snapshots are
// built without the write lock, because nothing that they are made of ever changes; the lock is
// held only while an index is replaced, for a few requests, so that no commit waits longer.
//
// A Service compacts for the clients of a gateway and, if it is started, by itself (decision A64).
//
// The package writes objects below snapshots/, the checkpoint of the manifests (decision A65) and,
// through writepath, indexes and the lock of the automatic compaction. It never moves a head and
// deletes nothing.
package compaction
