// Package ingest makes columns of stored rows. A Cursor gives versions of a type as a
// database stores them: key texts, commit_id, schema_version_id and fields_json. A Reader
// reads the cursor ahead and converts each batch into what a data file of the same rows
// would have (format/FORMAT.md): fields_json in canonical form, typed columns, and facts
// such as the commits and whether an identity has two rows in one commit. The rows then
// reach the engine as VALUES or parameters of a statement, as a table, or as a stream for
// the mirror; a look-up by key is answered from the converted row itself.
//
// The package opens no store and knows no session. What it cannot read in the way the
// engine would, it leaves to the engine.
package ingest
