// Package writing stages and commits what a transaction writes: the rows that INSERT, UPDATE
// and MERGE compute (Changes), the search for identities that are stored already, rows that an
// ALTER TABLE rewrites, and the commit of all of them.
//
// Which rows a statement writes is a plan's query (gateway/planner), which reading runs. How a
// commit reaches the store is package writepath, or sqlite/commit.
package writing
