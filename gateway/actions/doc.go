// Package actions runs the functions of the schema ontosql that write: tag and untag
// (decision A66), revert (decision A67) and compact. What they do is staged in the transaction of
// the session, as rows and schema changes are, and the caller commits; but compact and the functions
// of the event bus (decision A73) and of the name service (decision A78) are no part of a transaction.
// The arguments are computed by a query of their own (syntax.Actions).
package actions
