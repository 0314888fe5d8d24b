// Package rewritetest is what the tests of rewrite and its rooms share: tables, a session and
// the steps from a statement to the engine's SQL.
package rewritetest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Bind resolves and prints a query over the shapes of the tests, with parameters of the
// given types. The SQL of the relation t in schema s is <s.t>.
func Bind(sql string, oids []uint32) (*scope.Scoped, string, error) {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return nil, "", err
	}
	if st.Inner != nil {
		st = st.Inner
	}
	shapes, sources, err := ShapesOf(st)
	if err != nil {
		return nil, "", err
	}
	sc, err := query.Scope(st, shapes, oids, Env{})
	if err != nil {
		return nil, "", err
	}
	out, err := sc.Bind(sources)
	return sc, out, err
}

// Write is Bind for INSERT, UPDATE and MERGE. The SQL of the target's stored versions is
// <target>.
func Write(sql string, conflict dml.Conflict, oids []uint32) (sc *dml.Scoped, out string, err error) {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return nil, "", err
	}
	if st.Inner != nil {
		st = st.Inner
	}
	target, ok := ShapeOf(*st.Target)
	if !ok {
		return nil, "", pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", st.Target.Name).At(st.Target.Position)
	}
	shapes, sources, err := ShapesOf(st)
	if err != nil {
		return nil, "", err
	}
	if sc, err = dml.Scope(st, target, shapes, conflict, oids, Env{}); err != nil {
		return nil, "", err
	}
	if sc.Matches {
		sources = append(sources, "<target>")
	}
	out, err = sc.Rows.Bind(sources)
	return sc, out, err
}

// ShapesOf returns the shapes of the references of a statement, and their SQL.
func ShapesOf(st *syntax.Statement) (shapes []scope.Shape, sources []string, err error) {
	parts, err := Parts(st)
	if err != nil {
		return nil, nil, err
	}
	return shapesOf(st, parts)
}

// Part is a part of a statement (syntax.Statement.Parts): its columns, and its SQL.
type Part struct {
	Outputs []scope.OutputColumn
	SQL     string
}

// Parts resolves and prints the parts of a statement.
func Parts(st *syntax.Statement) (parts []Part, err error) {
	for _, of := range st.Parts {
		shapes, sources, err := shapesOf(of, parts)
		if err != nil {
			return nil, err
		}
		var sc *scope.Scoped
		if of.Target == nil {
			sc, err = query.Scope(of, shapes, nil, Env{})
		} else {
			target, _ := ShapeOf(*of.Target)
			var write *dml.Scoped
			if write, err = dml.Scope(of, target, shapes, dml.ConflictError, nil, Env{}); err == nil {
				if sc = write.Rows; write.Matches {
					sources = append(sources, "<target>")
				}
			}
		}
		if err != nil {
			return nil, err
		}
		sql, err := sc.Bind(sources)
		if err != nil {
			return nil, err
		}
		parts = append(parts, Part{sc.Outputs, sql})
	}
	return parts, nil
}

func shapesOf(st *syntax.Statement, parts []Part) (shapes []scope.Shape, sources []string, err error) {
	for _, r := range st.Refs {
		if r.Part > 0 {
			shapes = append(shapes, scope.Shape{Kind: scope.WithQuery, Table: r.Name, Outputs: parts[r.Part-1].Outputs})
			sources = append(sources, "<"+r.Name+">")
			continue
		}
		shape, ok := ShapeOf(r)
		if !ok {
			return nil, nil, pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", r.Name).At(r.Position)
		}
		shapes = append(shapes, shape)
		sources = append(sources, "<"+shape.Schema+"."+shape.Table+">")
	}
	return shapes, sources, nil
}

// ShapeOf returns the shape of one of the tables customer, product, account, LineItem and
// pg_class; ok is false for any other name.
func ShapeOf(r syntax.Ref) (scope.Shape, bool) {
	name := func(kind column.Kind, names ...string) (cols []column.Named) {
		for _, n := range names {
			cols = append(cols, column.Named{Name: n, Type: column.Type{Kind: kind, Width: 38, Scale: 12}})
		}
		return cols
	}
	system := slices.Concat(name(column.Int64, "commit_id", "schema_version_id"), name(column.Text, "entity_key"), name(column.JSON, "fields_json"), name(column.TimestampTZ, "committed_at"))
	versions := slices.Concat(name(column.TimestampTZ, "valid_from", "valid_to"), name(column.Int64, "valid_to_commit"), name(column.Bool, "is_current"))
	s := scope.Shape{Schema: r.Schema, Table: r.Name}
	if s.Schema == "" {
		s.Schema = "public"
	}
	switch r.Name {
	case "customer":
		s.Columns = slices.Concat(name(column.Text, "id", "name", "tier"), name(column.Float64, "balance"), name(column.Int64, "age"), name(column.JSON, "attrs"))
	case "product":
		s.Columns = slices.Concat(name(column.Int64, "id"), name(column.Text, "name"), name(column.Numeric, "price"), name(column.Date, "launched"))
	case "account":
		s.Columns = slices.Concat(name(column.Int64, "id"), name(column.Text, "owner", "code"), name(column.Numeric, "limit"), name(column.TimestampTZ, "opened"), name(column.JSON, "doc"))
		s.Defaults = map[string]string{"owner": "'nobody'", "limit": "1.5", "opened": "now()", "doc": "'{}'"}
		s.Typmods = map[string]int32{"code": 3 + 4, "limit": 5<<16 | 2 + 4}
	case "LineItem":
		s.Columns = name(column.Text, "Id", "name")
	case "pg_class":
		s.Schema, s.Kind = "pg_catalog", scope.CatalogRelation
		s.Columns = slices.Concat(name(column.Uint32, "oid"), name(column.Text, "relname"))
		s.Types = []types.Type{types.Of(types.OID), types.Of(types.Name)}
		return s, true
	default:
		return s, false
	}
	s.Stored = []string{"stored_key", "commit_id", "fields_json"}
	s.Key, s.Unique = []string{s.Columns[0].Name}, s.Schema != "history" && s.Schema != "changes" && !r.All
	s.System = system
	if s.Schema == "history" || r.All {
		s.System = append(s.System, versions...)
		if !r.All {
			s.Columns, s.System = append(s.Columns, s.System...), nil
		}
	}
	return s, true
}

// Env is a session without settings. It implements scope.Env.
type Env struct{}

// Setting implements scope.Env.
func (Env) Setting(string) string { return "" }

// DateOrder implements scope.Env.
func (Env) DateOrder() datetime.DateOrder { return datetime.MonthFirst }

// Macro implements scope.Env.
func (Env) Macro(name string) bool {
	return name == "format_type" || name == "reg_known" || strings.HasPrefix(name, "regclass_")
}

// Param implements scope.Env.
func (Env) Param(n int) scope.SessionValue {
	return scope.SessionValue{Text: "value of $" + strconv.Itoa(n), Null: n == 2}
}

// Session implements scope.Env.
func (Env) Session(name string, args []string, _ int) (scope.SessionValue, error) {
	switch name {
	case "now":
		return scope.SessionValue{Text: "2026-01-02 03:04:05+00"}, nil
	case "current_schema":
		return scope.SessionValue{Null: true}, nil
	case "ontosql.commit_outcome":
		return scope.SessionValue{Text: "outcome of " + args[0]}, nil
	case "current_user", "current_database":
		return scope.SessionValue{Text: "it's"}, nil
	}
	return scope.SessionValue{}, pgerr.New(pgerr.UndefinedObject, "unrecognized configuration parameter %q", strings.Join(args, ","))
}

// ShowError prints the SQLSTATE, position, message, detail and hint of an error.
func ShowError(err error) string {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return "not a client's error: " + err.Error() + "\n"
	}
	s := fmt.Sprintf("%s at %d: %s\n", e.Code, e.Position, e.Message)
	if e.Detail != "" {
		s += "detail: " + e.Detail + "\n"
	}
	if e.Hint != "" {
		s += "hint: " + e.Hint + "\n"
	}
	return s
}

// MustBeClient fails the test if an error for a statement has no SQLSTATE.
func MustBeClient(t testing.TB, sql string, err error) {
	t.Helper()
	var e *pgerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: %v is not a *pgerr.Error", sql, err)
	}
}

// ShowScoped prints out, the SQL of sc, and the columns, needs and parameters of sc.
func ShowScoped(sc *scope.Scoped, out string) string {
	var s strings.Builder
	s.WriteString(out + "\n")
	for _, c := range sc.Columns {
		fmt.Fprintf(&s, "column %s %s\n", c.Name, types.Type{OID: c.OID, Typmod: c.Typmod})
	}
	for i, n := range sc.Needs {
		fmt.Fprintf(&s, "need %d %v", i, n.Columns)
		if len(n.System) > 0 {
			fmt.Fprintf(&s, " system=%v", n.System)
		}
		if len(n.Lower)+len(n.Upper) > 0 {
			fmt.Fprintf(&s, " lower=%v upper=%v", n.Lower, n.Upper)
		}
		if len(n.KeyEquals) > 0 {
			fmt.Fprintf(&s, " keys=%v", n.KeyEquals)
		}
		s.WriteByte('\n')
	}
	for i, x := range sc.Points {
		p, used, _, err := sc.PointSQL(x.Point)
		fmt.Fprintf(&s, "point %d: %s %v %v\n", i, p, used, err)
	}
	if len(sc.Params) > 0 {
		fmt.Fprintf(&s, "params")
		for _, p := range sc.Params {
			fmt.Fprintf(&s, " %s", types.Of(p))
		}
		fmt.Fprintf(&s, " used %v\n", sc.Used)
	}
	return s.String()
}
