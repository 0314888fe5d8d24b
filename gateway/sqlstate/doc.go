// Package sqlstate turns errors into those that clients get. It holds the one table from
// errors to SQLSTATEs, PostgreSQL's messages for errors of the engine, of commits and of
// schema changes, and notices and warnings. Texts for clients contain no local paths.
package sqlstate
