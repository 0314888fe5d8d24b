// Package storage brings the rows of an ontology within the engine's reach. A Backend is
// where the ontology is kept: Files for Parquet files in a bucket, which are fetched into
// the disk cache, and Tables for a database, whose rows are read by a cursor (package
// ingest). Find takes a window of a type at a pin and returns what a scan reads. History
// gives the same rows to the mirror. RecentCommits remembers what this gateway has just
// committed, so that the next reader need not ask the store.
//
// The package writes nothing: a Committer does. It knows neither SQL nor sessions.
package storage
