package jsonpath_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"github.com/ontosql/ontosql/pgfunc/jsonpath"
)

// find evaluates a path as jsonb_path_query does, and as jsonb_path_query_tz if there is a
// zone. The answer is the texts of the values, or the SQLSTATE of the error.
func find(t *testing.T, document, path, zone string, silent int64) string {
	t.Helper()
	for _, f := range jsonpath.Functions() {
		if f.Name != "ontosql_json_path" {
			continue
		}
		out, err := f.New()([]fmgr.Value{fmgr.TextValue(document), fmgr.TextValue(path), fmgr.TextValue(`{"x": {"n": 1}}`), {Int: silent}, fmgr.TextValue(zone)})
		if e := (*pgerr.Error)(nil); errors.As(err, &e) {
			return e.Code
		}
		var texts []string
		for _, v := range out.List {
			texts = append(texts, v.Text)
		}
		return strings.Join(texts, " ")
	}
	t.Fatal("there is no function ontosql_json_path")
	return ""
}

// TestPaths evaluates paths; the answers are PostgreSQL's.
func TestPaths(t *testing.T) {
	for _, c := range []struct{ document, path, want string }{
		{`{"a": [1, {"b": 2}]}`, "$.a.b", "2"},
		{`{"a": 1}`, "strict $.b", "2203A"},
		{`[1, {"a": 2}]`, "strict $.**.a", "2"},
		{`[1, {"a": 2}]`, "strict $.** ? (@.a > 1)", `{"a":2}`},
		{`[[1, 2], [3]]`, "strict $.**[1]", "[3] 2"},
		{`{"a": {"x": 1}}`, "$.a.keyvalue()", `{"id":16,"key":"x","value":1}`},
		{`{"a": {"x": 1}}`, "$.keyvalue().value.keyvalue()", `{"id":20000000048,"key":"x","value":1}`},
		{`1`, "$x.keyvalue().id", "10000000016"},
		{`"12:34:56.5-05:30"`, "$.datetime()", `"12:34:56.5-05:30"`},
		{`"2017-03-10T12:34:56"`, "$.datetime().type()", `"timestamp without time zone"`},
		{`"10-03-2017"`, `$.datetime("dd-mm-yyyy")`, `"2017-03-10"`},
		{`"10-03-2017"`, `$.datetime("dd@mm")`, "22007"},
		{`"10-03-2017"`, `$.datetime(1)`, "42601"},
		{`"never"`, "$.datetime()", "22031"},
		{`7`, "$.datetime()", "22031"},
		{`["2017-03-10", "12:00:00"]`, `$[*].datetime() ? (@ == "2017-03-10".datetime())`, `"2017-03-10"`},
		{`"2017-03-10"`, `$.datetime() == "2017-03-10T00:00:00Z"`, "null"},
		{`"2017-03-10"`, `$.datetime() < "2017-03-10T00:00:00+00".datetime()`, "0A000"},
	} {
		if got := find(t, c.document, c.path, "", 0); got != c.want {
			t.Errorf("%s of %s is %s, want %s", c.path, c.document, got, c.want)
		}
	}
}

// TestSilentPaths evaluates paths whose errors are silent: what was found before stays.
func TestSilentPaths(t *testing.T) {
	for _, c := range []struct{ document, path, want string }{
		{`["2017-03-10", "never", "2018-01-01"]`, "$[*].datetime()", `"2017-03-10"`},
		{`[1, "a", 2]`, "-$[*]", "-1"},
		{`{"a": [], "b": {"c": {"d": 1}}}`, "strict $.**.*.keyvalue().key", `"d"`},
	} {
		if diff := cmp.Diff(c.want, find(t, c.document, c.path, "", 1)); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.path, c.document, diff)
		}
	}
}

// TestPathsInZone compares values with and without a zone, in the zone of the session.
func TestPathsInZone(t *testing.T) {
	const path = `$[*].datetime() ? (@ <= "2017-03-10".datetime())`
	got := find(t, `["2017-03-10T04:59:00+00", "2017-03-10T05:01:00+00", "2017-03-10 00:00:00"]`, path, "America/New_York", 0)
	if want := `"2017-03-10T04:59:00+00:00" "2017-03-10T00:00:00"`; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}
