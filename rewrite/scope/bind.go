package scope

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Bind prints the engine's SQL. sources[i] is the SQL of reference i: a
// parenthesised SELECT or the name of a table that exposes the columns of
// Needs[i]; it is not looked at. Parameter $i of the SQL is number Used[i-1] of the
// statement, as the engine knows no gaps in their numbers, and those behind are Lists.
//
// keyed are the references whose sources have no row but those of Need.KeyEquals:
// it is not asked for again. Such a source names every parameter of KeyEquals.
func (sc *Scoped) Bind(sources []string, keyed ...int) (string, error) {
	if len(sources) != len(sc.Needs) {
		return "", fmt.Errorf("bind: %d sources for %d references", len(sources), len(sc.Needs))
	}
	return sc.Print(enginesql.WithoutKeyConditions(sc.pieces, keyed), sources, sc.Used)
}

// IntegerPoint is the number of the parameter that a point is, if that is of an integer type and cast
// to it: the engine need not evaluate it. It is 0 for other points.
func (sc *Scoped) IntegerPoint(p *syntax.Point) int {
	n, typ := p.CastParam()
	if n == 0 || n > len(sc.Params) {
		return 0
	}
	if of := sc.Params[n-1]; of == types.Int8 && typ == "int8" || of == types.Int4 && typ == "int4" {
		return n
	}
	return 0
}

// PointSQL is the SQL of an expression that names a point of a reference: a query
// of one row with one text column. Its parameter $i is number used[i-1] of the
// statement. ok is false when the point is no expression.
func (sc *Scoped) PointSQL(p *syntax.Point) (sql string, used []int, ok bool, err error) {
	i := slices.IndexFunc(sc.Points, func(x PointExpr) bool { return x.Point == p })
	if i < 0 {
		return "", nil, false, nil
	}
	used = enginesql.ParamNumbers(sc.Points[i].SQL)
	sql, err = sc.Print(sc.Points[i].SQL, nil, used)
	return sql, used, true, err
}

// ComputesWith reports whether the engine's SQL has parameter n as a value of the parameter's
// type, and not only as the text that is bound.
func (sc *Scoped) ComputesWith(n int) bool {
	return slices.ContainsFunc(sc.pieces, func(p enginesql.Piece) bool {
		return p.Kind == enginesql.Param && p.Number == n || p.Kind == enginesql.ParamList && slices.Contains(p.Params, n)
	})
}

// Print joins pieces and fills their placeholders. sources are the SQL of the references, used
// the client's parameters in the order of the engine's numbers.
func (sc *Scoped) Print(ps []enginesql.Piece, sources []string, used []int) (string, error) {
	var s strings.Builder
	asked := map[string]int{}
	for _, p := range ps {
		switch p.Kind {
		case 0:
			s.WriteString(p.Text)
		case enginesql.Source:
			s.WriteString(sources[p.Number])
		case enginesql.Param, enginesql.ParamText:
			place, _ := slices.BinarySearch(used, p.Number)
			ty := types.Of(types.Text)
			if p.Kind == enginesql.Param {
				ty = types.Of(sc.Params[p.Number-1])
			}
			text, err := sc.Print(enginesql.Pieces(casts.Param(1+place, ty, len(sources) > 0)), nil, nil)
			if err != nil {
				return "", err
			}
			s.WriteString(text)
		case enginesql.ParamList:
			items := "CAST($" + strconv.Itoa(len(used)+p.Number) + " AS VARCHAR[])"
			if p.Number == 0 {
				texts := make([]string, len(p.Params))
				for i, n := range p.Params {
					place, _ := slices.BinarySearch(used, n)
					texts[i] = casts.Param(1+place, types.Of(types.Text), len(sources) > 0)
				}
				items = "[" + strings.Join(texts, ", ") + "]"
			}
			query := "SELECT " + casts.FromArgument("item", types.Of(p.OID)) + " FROM (SELECT unnest(" + items + ") AS item)"
			text, err := sc.Print(enginesql.Pieces(query), nil, nil)
			if err != nil {
				return "", err
			}
			s.WriteString(text)
		case enginesql.CatalogMacro:
			s.WriteString(enginesql.MacroSchema + "." + p.Name)
		case enginesql.IntervalStandard:
			s.WriteString(map[bool]string{true: "1", false: "0"}[sc.env.Setting("IntervalStyle") == "sql_standard"])
		case enginesql.DateOrder:
			s.WriteString(strconv.Itoa(int(sc.env.DateOrder())))
		case enginesql.Output:
			s.WriteString(enginesql.OutputCall(p.Name, sc.env.Setting))
		case enginesql.SessionValue:
			v, err := sc.sessionValue(p, asked)
			if err != nil {
				return "", err
			}
			if v.Null {
				s.WriteString("CAST(NULL AS " + types.Of(p.OID).EngineType() + ")")
			} else {
				text, err := casts.Literal(v.Text, types.Of(p.OID), datetime.TimeInput{})
				if err != nil {
					return "", fmt.Errorf("value of %s: %w", p.Name, err)
				}
				s.WriteString(text)
			}
		}
	}
	return s.String(), nil
}

// sessionValue asks the session for the value of a function. One with a NULL
// among its arguments is NULL and not asked for: they all are strict. asked counts the
// calls by their names and arguments.
func (sc *Scoped) sessionValue(p enginesql.Piece, asked map[string]int) (SessionValue, error) {
	var args []string
	for _, a := range p.Args {
		if a.Param > 0 {
			v := sc.env.Param(a.Param)
			if v.Null {
				return v, nil
			}
			a.Text = v.Text
		}
		args = append(args, a.Text)
	}
	call := strings.Join(append([]string{p.Name}, args...), "\x00")
	asked[call]++
	return sc.env.Session(p.Name, args, asked[call]-1)
}

// Locate is the position of the first mention of an identifier in the statement, for errors of
// the engine that name one; 0 if it is not found.
func (sc *Scoped) Locate(name string) int { return sc.idents[strings.ToLower(name)] }
