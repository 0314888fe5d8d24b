// Package reading finds the rows that a statement reads, and runs its query over them. Sources
// are the FROM items of a plan's references: a window of a type over the mirror, the files and
// the rows that the transaction has staged, or the rows of a relation of the moment. Rows are
// the rows of the running query. A Speculation lets a statement run at the last known head
// while the store is asked for the newest.
//
// It writes nothing and answers no client.
package reading
