// Package rowlock is the room of row locks: SELECT FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE and
// FOR KEY SHARE of ordinary tables, and the wait for the transaction that has locked or changed a
// row. The engine's query tells which rows are locked; what is locked is kept by package
// workspace.
package rowlock
