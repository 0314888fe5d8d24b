// Package planner resolves the names of a statement and plans it: which relations its
// references are, which columns it returns, and of an INSERT, UPDATE or MERGE how its rows are
// computed and encoded. A plan is data: it is made at one version of the catalog and executed
// elsewhere, at any point in time. The package reads no rows and does not talk to the engine.
package planner
