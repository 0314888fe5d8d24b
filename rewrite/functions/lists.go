package functions

// NoFunctionHint is PostgreSQL's hint of 42883.
const NoFunctionHint = "No function matches the given name and argument types. You might need to add explicit type casts."

// Collecting are the aggregates in which the order of the values shows.
var Collecting = map[string]bool{"array_agg": true, "string_agg": true, "joined": true, "json_agg": true, "jsonb_agg": true}

// MakesJSON are the functions whose arguments of type "any" become JSON.
var MakesJSON = map[string]bool{
	"to_json": true, "to_jsonb": true, "array_to_json": true, "json_agg": true, "jsonb_agg": true,
	"json_build_array": true, "jsonb_build_array": true, "json_build_object": true, "jsonb_build_object": true,
	"json_object_agg": true, "jsonb_object_agg": true,
}

// Comparisons are the operators that every type has.
var Comparisons = map[string]bool{"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true}

// ReturnsRecord make rows of documents. What columns they have is said behind
// them: AS r(a integer, b text).
var ReturnsRecord = map[string]bool{
	"json_to_record": true, "jsonb_to_record": true, "json_to_recordset": true, "jsonb_to_recordset": true,
}

// ResultColumn maps functions to the name of their one column, which an alias of the table does
// not change.
var ResultColumn = map[string]string{
	"json_array_elements": "value", "jsonb_array_elements": "value", "json_array_elements_text": "value", "jsonb_array_elements_text": "value",
}

// TakesArray are the functions whose last arguments VARIADIC may give as one array.
var TakesArray = map[string]bool{
	"format": true, "concat": true, "concat_ws": true, "num_nulls": true, "num_nonnulls": true,
	"json_build_array": true, "jsonb_build_array": true, "json_build_object": true, "jsonb_build_object": true,
	"json_extract_path": true, "jsonb_extract_path": true, "json_extract_path_text": true, "jsonb_extract_path_text": true,
}
