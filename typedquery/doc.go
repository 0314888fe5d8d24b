// Package typedquery writes the SQL of the original's query commands: entities, relations and
// traversals, with filters over paths of JSON (COMPAT 6). Text goes in and text comes out; the
// statements are run by a session of the gateway, and the package reads the documents that they
// return.
//
// Where the original's backends differ, the meaning of SQLite holds (COMPAT 6.4 and 6.6, decision
// A69).
package typedquery
