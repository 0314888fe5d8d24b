package relation_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// TestNames resolves names that exist, and names that do not, under several settings of
// search_path.
func TestNames(t *testing.T) {
	pin := &resolver.Pin{Catalog: &catalog.Catalog{}}
	for _, c := range []struct {
		path   string
		ref    syntax.Ref
		schema string // of the relation found
		code   string // of the error
	}{
		{path: "public", ref: syntax.Ref{Name: "pg_class"}, schema: "pg_catalog"},
		{path: "public", ref: syntax.Ref{Schema: "ontosql", Name: "commits"}, schema: "ontosql"},
		{path: "public", ref: syntax.Ref{Name: "commits"}, code: pgerr.UndefinedTable},
		{path: "ontosql, public", ref: syntax.Ref{Name: "commits"}, schema: "ontosql"},
		{path: `"$user", information_schema`, ref: syntax.Ref{Name: "tables"}, schema: "information_schema"},
		{path: "public", ref: syntax.Ref{Schema: "public", Name: "missing"}, code: pgerr.UndefinedTable},
		{path: "public", ref: syntax.Ref{Catalog: "onto", Schema: "ontosql", Name: "types"}, schema: "ontosql"},
		{path: "public", ref: syntax.Ref{Catalog: "onto@7", Schema: "ontosql", Name: "types"}, schema: "ontosql"},
		{path: "public", ref: syntax.Ref{Catalog: "other", Schema: "ontosql", Name: "types"}, code: pgerr.FeatureNotSupported},
		{path: "public", ref: syntax.Ref{Schema: "ontosql", Name: "types", All: true}, code: pgerr.WrongObjectType},
	} {
		n := relation.Resolver{Database: "onto", Startup: "onto@7", Path: c.path}
		r, err := n.Resolve(pin, c.ref)
		var code string
		if e := (*pgerr.Error)(nil); errors.As(err, &e) {
			code = e.Code
		}
		if code != c.code || c.code == "" && r.Shape.Schema != c.schema {
			t.Errorf("%+v with search_path %s is of schema %q, error %v; want %q, %q", c.ref, c.path, r.Shape.Schema, err, c.schema, c.code)
		}
	}
	n := relation.Resolver{Database: "onto", Path: "public"}
	if _, err := n.Named(pin, syntax.Ref{Schema: "nowhere", Name: "x"}); err == nil || err.(*pgerr.Error).Code != pgerr.InvalidSchemaName { //nolint:errorlint // it is not wrapped
		t.Errorf("a utility statement that names a missing schema: %v, want 3F000", err)
	}
}

// TestNarrowWindow applies conditions on commit_id, whose values may overflow.
func TestNarrowWindow(t *testing.T) {
	const least, most = -1 << 63, 1<<63 - 1
	for _, c := range []struct {
		lower, upper []scope.Bound
		low, high    ontosql.CommitID
	}{
		{low: 0, high: 10},
		{lower: []scope.Bound{{Value: 3, Delta: -1}}, upper: []scope.Bound{{Value: 7}}, low: 2, high: 7},
		{lower: []scope.Bound{{Param: 1}}, low: 5, high: 10},
		{lower: []scope.Bound{{Param: 2}}, low: 0, high: 10}, // the parameter is no number
		{lower: []scope.Bound{{Value: least, Delta: -1}}, upper: []scope.Bound{{Value: most, Delta: 1}}, low: 0, high: 10},
		{upper: []scope.Bound{{Value: least, Delta: -1}}, low: least, high: 0},
	} {
		low, high, err := relation.NarrowWindow(scope.Need{Lower: c.lower, Upper: c.upper}, 10, [][]byte{[]byte("5"), []byte("x")})
		if err != nil || high != c.high || low != c.low {
			t.Errorf("%v, %v: %d to %d, %v; want %d to %d", c.lower, c.upper, low, high, err, c.low, c.high)
		}
	}
}

// TestKeyBounds turns conditions on keys into stored texts.
func TestKeyBounds(t *testing.T) {
	typ := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}, Key: []int{0}, Columns: []catalog.Column{
		{Name: "id", Field: "id", Role: catalog.FromEntityKey, Type: column.Type{Kind: column.Int64}},
	}}
	need := scope.Need{KeyEquals: map[string][]enginesql.Operand{"id": {{Param: 1}, {Text: "007"}}}}
	b := relation.NewKeyBounds(typ, need, [][]byte{[]byte(" 42 ")}, []int{1})
	if diff := cmp.Diff([]string{"42", "7"}, b.First()); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if !b.CoverAll(need) || !b.Match(&format.Row{Key: "7"}) || b.Match(&format.Row{Key: "8"}) {
		t.Errorf("bounds %+v do not match 7 alone of 7 and 8", b)
	}
	texts := b.Literals()[0].Texts
	if diff := cmp.Diff([]string{"'42'", "'7'"}, texts); diff != "" {
		t.Errorf("literals (-want +got):\n%s", diff)
	}
	if texts := b.Equals()[0].Texts; texts[0] != "CAST(CAST(CAST($1 AS VARCHAR) AS BIGINT) AS VARCHAR)" || texts[1] != "'7'" {
		t.Errorf("the scan has %q; a parameter has to stay one", texts)
	}
	if b := relation.NewKeyBounds(typ, need, [][]byte{nil}, []int{1}); len(b) > 0 {
		t.Errorf("a parameter that is NULL gives the bounds %+v, want none", b)
	}
}
