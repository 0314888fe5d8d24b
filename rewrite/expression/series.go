package expression

import (
	"slices"
	"strconv"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// limitedSeries are the arguments of generate_series with an end that is reached after the
// rows that are needed; 0 is all. A series may be longer than a list can be, even endless.
func limitedSeries(args []scope.Expr, rows int64) []scope.Expr {
	if rows == 0 || args[0].Type.OID == types.Numeric {
		return args
	}
	start, step, count := args[0].SQL, "1", strconv.FormatInt(rows, 10)
	if len(args) > 2 {
		step = args[2].SQL
	}
	macro := "series_limit"
	if args[0].Type.OID == types.Timestamp || args[0].Type.OID == types.TimestampTZ {
		macro = "time_series_limit"
	}
	args = slices.Clone(args)
	args[1].SQL = enginesql.Macro(macro) + "(" + start + ", " + args[1].SQL + ", " + step + ", " + count + ")"
	return args
}
