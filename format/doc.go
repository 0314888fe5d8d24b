// Package format is the room of bytes at rest: the keys of a store's objects,
// the JSON of its control plane, the Parquet of its rows, and the spellings
// (canonical JSON, floats, times, keys, schema hashes) on which two programs
// in two languages must agree to the byte. FORMAT.md tells the formats to a
// stranger.
//
// It does no I/O over a bucket, follows no chain and believes nothing beyond
// the one object it is given; local Parquet files are the only files it opens.
package format
