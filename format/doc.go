// Package format encodes and decodes the objects of a store: their keys, the JSON of the control
// plane and the Parquet files of the rows. It defines the texts (canonical JSON, floats, times,
// keys, schema hashes) that the original in Python and ontosql must write with the same bytes.
// FORMAT.md describes the formats.
//
// The package does no I/O on buckets and does not follow manifest chains. It handles one object
// at a time. The only files it opens are local Parquet files.
package format
