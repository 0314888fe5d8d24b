package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// TestData runs testdata/*: a statement in, and out what the session learns and
// what the engine gets. The sources are written as <schema.table>, so that a
// name outside of the marks is a name that survived.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata/sql", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "split":
				return showSplit(d.Input)
			case "analyze":
				st, err := syntax.Analyze(d.Input)
				if err != nil {
					return showError(err)
				}
				return showStatement(st)
			case "bind":
				return showBind(d.Input, oidsOf(d))
			case "write":
				return showWrite(d.Input, d.HasArg("update"), d.HasArg("nothing"), oidsOf(d))
			}
			show := definitions[d.Cmd]
			if show == nil {
				t.Fatalf("unknown command %q", d.Cmd)
			}
			return show(d.Input)
		})
	})
}

// oidsOf are the parameter types of oids=(20,0).
func oidsOf(d *datadriven.TestData) (oids []uint32) {
	for _, a := range d.CmdArgs {
		if a.Key == "oids" {
			for _, v := range a.Vals {
				var n uint32
				fmt.Sscan(v, &n)
				oids = append(oids, n)
			}
		}
	}
	return oids
}

func showSplit(sql string) string {
	texts, err := syntax.Split(sql)
	if err != nil {
		return showError(err)
	}
	var s strings.Builder
	for _, x := range texts {
		fmt.Fprintf(&s, "%d: %q\n", x.Offset, x.SQL)
	}
	return s.String()
}

func showStatement(st *syntax.Statement) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s kind=%d read_only=%t", st.Tag, st.Kind, st.ReadOnly)
	if st.Name != "" {
		fmt.Fprintf(&s, " name=%s", st.Name)
	}
	if st.All {
		s.WriteString(" all")
	}
	if st.Local {
		s.WriteString(" local")
	}
	if st.Values != nil {
		fmt.Fprintf(&s, " values=%q", st.Values)
	}
	if st.Modes.Isolation != "" {
		fmt.Fprintf(&s, " isolation=%q", st.Modes.Isolation)
	}
	if st.Modes.ReadOnly != nil {
		fmt.Fprintf(&s, " read_only_mode=%t", *st.Modes.ReadOnly)
	}
	if st.Modes.Deferrable != nil {
		fmt.Fprintf(&s, " deferrable=%t", *st.Modes.Deferrable)
	}
	if st.Modes.Session {
		s.WriteString(" session")
	}
	if st.Target != nil {
		fmt.Fprintf(&s, " target=%s.%s@%d", st.Target.Schema, st.Target.Name, st.Target.Position)
	}
	s.WriteByte('\n')
	for _, r := range st.Refs {
		fmt.Fprintf(&s, "ref %d %s at %d", r.ID, strings.TrimPrefix(r.Schema+"."+r.Name, "."), r.Position)
		if r.Function {
			s.WriteString(" function")
		}
		if r.All {
			s.WriteString(" all")
		}
		if p := r.Point; p != nil {
			fmt.Fprintf(&s, " point{text=%q param=%d expr=%t at %d}", p.Text, p.Param, p.Expr, p.Position)
		}
		s.WriteByte('\n')
	}
	if st.Inner != nil {
		s.WriteString("inner: " + showStatement(st.Inner))
	}
	return s.String()
}

func showBind(sql string, oids []uint32) string {
	sc, out, err := bindAll(sql, oids)
	if err != nil {
		return showError(err)
	}
	return showScoped(sc, out)
}

func showScoped(sc *scope.Scoped, out string) string {
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
		if p, used, ok, err := sc.PointSQL(i); ok {
			fmt.Fprintf(&s, "point %d: %s %v %v\n", i, p, used, err)
		}
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

func showError(err error) string {
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

// bindAll goes through the three steps over the shapes of the tests.
func bindAll(sql string, oids []uint32) (*scope.Scoped, string, error) {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return nil, "", err
	}
	if st.Inner != nil {
		st = st.Inner
	}
	shapes, sources, err := shapesOf(st)
	if err != nil {
		return nil, "", err
	}
	sc, err := query.Scope(st, shapes, oids, testEnv{})
	if err != nil {
		return nil, "", err
	}
	out, err := sc.Bind(sources)
	return sc, out, err
}

// shapesOf resolves the references as a session does; their sources are
// <schema.table>.
func shapesOf(st *syntax.Statement) (shapes []scope.Shape, sources []string, err error) {
	for _, r := range st.Refs {
		shape, ok := shapeOf(r)
		if !ok {
			return nil, nil, pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", r.Name).At(r.Position)
		}
		shapes = append(shapes, shape)
		sources = append(sources, "<"+shape.Schema+"."+shape.Table+">")
	}
	return shapes, sources, nil
}

func shapeOf(r syntax.Ref) (scope.Shape, bool) {
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
		s.OIDs = []uint32{26, 19}
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

type testEnv struct{}

func (testEnv) Setting(string) string         { return "" }
func (testEnv) DateOrder() datetime.DateOrder { return datetime.MonthFirst }

func (testEnv) Macro(name string) bool {
	return name == "format_type" || name == "reg_known" || strings.HasPrefix(name, "regclass_")
}

func (testEnv) Param(n int) scope.SessionValue {
	return scope.SessionValue{Text: "value of $" + strconv.Itoa(n), Null: n == 2}
}

func (testEnv) Session(name string, args []string, _ int) (scope.SessionValue, error) {
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
