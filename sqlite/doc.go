// Package sqlite reads ontologies that are stored in one SQLite file, in the tables of
// seed 002 as the original library keeps them (COMPAT 4). A DB answers what resolver,
// chain and catalog answer for a bucket: it pins a head, and it gives the versions of a
// type to the engine. Other processes, the original library included, may read and write
// the file at the same time. Nothing is copied or converted.
//
// Reading writes nothing, and no transaction outlives a call. A look at the file reads
// what is new since the last look, and a Cursor reads each batch in a transaction of its
// own. That is correct because rows are only ever added. Where they were not (the file
// was replaced or restored, or a dropped type's rows were deleted), commit paths and row
// counts differ, and the reader gets an error.
//
// The sub-rooms below it are sqlconn (statements and errors of the SQLite library),
// dbschema (tables and columns of the file), codec (texts stored in them), pages (tables
// read by page, decision A43) and writelock (the row of the write lock). The sub-rooms
// above it are initdb (make and upgrade a file), commit (the Committer; PROTOCOL.md), check
// (verification) and bulk (write a known history, move event data).
//
// Only these rooms know the SQLite library. They know neither a client's SQL nor the
// engine.
package sqlite
