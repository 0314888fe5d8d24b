// Package codec encodes the texts in an ontology's SQLite file as the original does (COMPAT
// 2.1): fields_json, metadata_json and the registry's schema_json. It also assigns paths to
// the commits of a file, for the chain.
package codec
