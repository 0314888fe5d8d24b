// Package diskcache caches immutable objects as verified files on the local disk,
// because DuckDB reads files (decision A21). An object is fetched once, checked
// against its sha256, and kept within the budget. The metadata that Inspect returned
// is kept longer than the file.
//
// Several processes may share one directory, and the directory may be deleted at any
// time. A complete file gets its name by a rename or link. Before first use, each
// process reads the file once and compares it with the checksum in its metadata. This
// detects damage by a killed process, a power failure or a user, at the cost of one
// pass over bytes that are read soon anyway. After that, the file's inode, size and
// modification time must be unchanged at each use.
//
// Objects of a directory store are copied too. A hard link would save space, but a
// program that writes into the store's file in place would change the verified file.
//
// The package does not know Parquet or commits.
package diskcache
