// Package rowjson encodes rows as they are stored: the identity as text and all fields as
// one canonical JSON object, fields_json (decision A17). It encodes new rows, updates of
// stored rows and rows that a schema change rewrites, and returns PostgreSQL's errors for
// values that the schema does not admit. It does not know where rows come from or go to.
package rowjson
