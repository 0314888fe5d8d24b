// Package actions runs the functions of the schema ontosql that write: tag and untag
// (decision A66). What they do is staged in the transaction of the session, as a schema change
// is; the caller commits. The arguments are computed by a query of their own
// (syntax.Actions).
package actions
