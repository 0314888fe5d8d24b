// Package typeddl works out what CREATE, ALTER, DROP, COMMENT and a SchemaPlan change of the schema
// of an ontology: the schema and the declarations of new types, the alterations of existing
// ones, and the draft of the schema that a transaction has not committed yet. It reaches the
// session through the interface Session. It neither reads nor writes rows; the session
// rewrites those of an altered type.
package typeddl
