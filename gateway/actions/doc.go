// Package actions runs the functions of the schema ontosql that write: tag, untag and compact
// (decision A66). What the first two do is staged in the transaction of the session, as a schema
// change is; the caller commits. compact is no part of a transaction. The arguments are computed by a query of their own
// (syntax.Actions).
package actions
