// Package staging keeps the rows that a transaction has written and not committed yet
// (decision A31): new versions of identities of one type, in memory, in a temporary table
// or in a draft of the commit. It finds identities that are inserted twice among them, and
// gives the rows to the committer. What the store has of the identities is not looked for
// here.
package staging
