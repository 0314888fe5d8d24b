package rewrite

const noFunctionHint = "No function matches the given name and argument types. You might need to add explicit type casts."

// collectors are the aggregates in which the order of the values shows.
var collectors = map[string]bool{"array_agg": true, "string_agg": true, "joined": true, "json_agg": true, "jsonb_agg": true}

// jsonMakers are the functions whose arguments of type "any" become JSON.
var jsonMakers = map[string]bool{
	"to_json": true, "to_jsonb": true, "array_to_json": true, "json_agg": true, "jsonb_agg": true,
	"json_build_array": true, "jsonb_build_array": true, "json_build_object": true, "jsonb_build_object": true,
	"json_object_agg": true, "jsonb_object_agg": true,
}

// comparisons are the operators that every type has.
var comparisons = map[string]bool{"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true}

// recordFunctions make rows of documents. What columns they have is said behind
// them: AS r(a integer, b text).
var recordFunctions = map[string]bool{
	"json_to_record": true, "jsonb_to_record": true, "json_to_recordset": true, "jsonb_to_recordset": true,
}

// resultNames are the names that functions give their one column, whatever their
// alias is.
var resultNames = map[string]string{
	"json_array_elements": "value", "jsonb_array_elements": "value", "json_array_elements_text": "value", "jsonb_array_elements_text": "value",
}

// takesArray are the functions whose last arguments VARIADIC may give as one array.
var takesArray = map[string]bool{
	"format": true, "concat": true, "concat_ws": true, "num_nulls": true, "num_nonnulls": true,
	"json_build_array": true, "jsonb_build_array": true, "json_build_object": true, "jsonb_build_object": true,
	"json_extract_path": true, "jsonb_extract_path": true, "json_extract_path_text": true, "jsonb_extract_path_text": true,
}
