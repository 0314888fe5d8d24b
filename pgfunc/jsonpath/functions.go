package jsonpath

import (
	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

// pathFunctions evaluate a path of SQL/JSON on a document.
var pathFunctions = []fmgr.Function{
	// target, path, variables ("" for none), whether errors are silent
	{Name: "ontosql_json_path", Args: pathArgs, Result: fmgr.Texts, New: pathCall(false, func(found []*jsonb.Value, _ bool) (fmgr.Value, error) {
		var out []fmgr.Value
		size := 0
		for _, v := range found {
			t := v.String()
			if size += len(t); size > fmgr.MaxResult {
				return fmgr.Null, fmgr.ResultTooLong("jsonb_path_query")
			}
			out = append(out, fmgr.TextValue(t))
		}
		return fmgr.Value{List: out}, nil
	})},
	{Name: "ontosql_json_path_exists", Args: pathArgs, Result: fmgr.Int, New: pathCall(true, func(found []*jsonb.Value, failed bool) (fmgr.Value, error) {
		if failed {
			return fmgr.Null, nil
		}
		return fmgr.BoolValue(len(found) > 0), nil
	})},
	{Name: "ontosql_json_path_match", Args: pathArgs, Result: fmgr.Int, New: pathCall(false, func(found []*jsonb.Value, _ bool) (fmgr.Value, error) {
		switch {
		case len(found) == 1 && found[0].Kind == "boolean":
			return fmgr.BoolValue(found[0].Truth), nil
		case len(found) == 1 && found[0].Kind == "null":
			return fmgr.Null, nil
		}
		return fmgr.Null, pathError("22038", "single boolean result is expected")
	})},
}
