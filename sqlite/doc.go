// Package sqlite is the room of ontologies that one SQLite file holds: the tables
// of seed 002 as the original keeps them (COMPAT 4). It answers what resolver
// answers for a bucket, pins with a chain and a catalog, and what writepath does,
// commits; and it reads the versions of a type for the engine, a few by SQL and many
// from the pages that SQLite gives (decision A43). Nothing is copied or converted:
// another process, the original too, reads and writes the same file meanwhile.
// PROTOCOL.md says how a commit gets into it.
//
// Reading writes nothing, and no transaction outlives a call: a look takes what is
// new since the last one, and a cursor reads each batch in a transaction of its own.
// That works because rows are only ever added; where they were not, because the file
// was replaced, put back to an earlier state, or a type's rows were removed with it,
// the marks of the chain and the number of rows tell, and the reader gets an error.
//
// It is the only room that knows the SQLite library, and it knows neither SQL of a
// client nor the engine.
package sqlite
