// Package diskcache keeps objects that do not change as verified files on the
// local disk, because the engine reads files (decision A21). An object is
// fetched once, checked against its sha256, and kept while the budget allows;
// what was learned by looking into it stays longer than the file.
//
// Several processes may share one directory, and it may be deleted at any time.
// A file comes into being under its name by a rename, whole; it is not believed
// because of its name but because this process has read it and found the
// checksum that stands in its note: that catches what a killed process, a power
// failure or a hand left behind, costs one pass over bytes that are about to be
// read anyway, and is done once per process and file. From then on the file's
// inode, size and modification time must be the same at every use.
//
// Objects of a directory store are copied like all others. A hard link would
// save the space, but it is the same file under two names: whoever writes into
// the store's file in place would change what was verified.
//
// The room knows nothing of Parquet or of commits.
package diskcache
