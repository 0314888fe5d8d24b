package pgfunc

// pathFunctions evaluate a path of SQL/JSON on a document.
var pathFunctions = []Function{
	// target, path, variables ("" for none), whether errors are silent
	{Name: "ontosql_json_path", Args: pathArgs, Result: Texts, New: pathCall(false, func(found []*jsonValue, _ bool) (Value, error) {
		var out []Value
		size := 0
		for _, v := range found {
			t := v.String()
			if size += len(t); size > maxResult {
				return null, tooLong("jsonb_path_query")
			}
			out = append(out, text(t))
		}
		return Value{List: out}, nil
	})},
	{Name: "ontosql_json_path_exists", Args: pathArgs, Result: Int, New: pathCall(true, func(found []*jsonValue, failed bool) (Value, error) {
		if failed {
			return null, nil
		}
		return truth(len(found) > 0), nil
	})},
	{Name: "ontosql_json_path_match", Args: pathArgs, Result: Int, New: pathCall(false, func(found []*jsonValue, _ bool) (Value, error) {
		switch {
		case len(found) == 1 && found[0].kind == "boolean":
			return truth(found[0].truth), nil
		case len(found) == 1 && found[0].kind == "null":
			return null, nil
		}
		return null, pathError("22038", "single boolean result is expected")
	})},
}
