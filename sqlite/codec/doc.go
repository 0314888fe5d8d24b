// Package codec spells the texts of an ontology's SQLite file as the original library does
// (COMPAT 2.1): fields_json, metadata_json and the registry's schema_json. It also names
// the commits of a file by paths for the chain.
package codec
