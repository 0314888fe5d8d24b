// Package jsontext prints the engine's SQL that makes JSON of values as PostgreSQL's to_json,
// json_agg, json_build_object and their like do. Documents are put together as texts, because
// the engine would print the numbers in them anew. The expressions in a call are typed in
// rewrite/expression.
package jsontext
