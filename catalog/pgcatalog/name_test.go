package pgcatalog

import (
	"fmt"
	"strings"
	"testing"
)

// spellings are texts a client may cast to regclass, and whether a relation has
// that name.
var spellings = []struct {
	text string
	name string // schema.name of the relation meant, "" for none
}{
	{"customer", "public.customer"},
	{"CUSTOMER", "public.customer"},
	{" customer ", "public.customer"},
	{`"customer"`, "public.customer"},
	{`"Customer"`, "public.customer"},
	{`"CUSTOMER"`, ""},
	{"public.customer", "public.customer"},
	{`"public"."Customer"`, "public.customer"},
	{"onto.public.customer", "public.customer"},
	{"history.customer", "history.customer"},
	{` "public" . "customer" `, "public.customer"},
	{"public . customer", "public.customer"},
	{`"public" "customer"`, ""},
	{"customer_pkey", "public.customer_pkey"},
	{"pg_class", "pg_catalog.pg_class"},
	{"information_schema.tables", "information_schema.tables"},
	{"tables", ""},
	{"nothing", ""},
	{`cust"omer"`, ""},
	{`"customer`, ""},
	{"", ""},
	{".", ""},
	{"a.b.c.d", ""},
}

func TestRegclass(t *testing.T) {
	filled := mustFill(t, shopInput())
	for _, s := range spellings {
		got, ok := filled.Regclass(s.text, []string{"public"})
		schema, name, _ := strings.Cut(s.name, ".")
		if want := filled.RelationOID(schema, name); got != want || ok != (want != 0) {
			t.Errorf("Regclass(%q) = %d, %v; want %d", s.text, got, ok, want)
		}
	}
	for text, want := range map[string]uint32{"16385": 16385, "-": 0} {
		if got, ok := filled.Regclass(text, nil); got != want || !ok {
			t.Errorf("Regclass(%q) = %d, %v; want %d", text, got, ok, want)
		}
	}
}

// TestRegclassFollowsThePath: the same name means another relation where the
// path says so, in Go and in the macros alike.
func TestRegclassFollowsThePath(t *testing.T) {
	filled, conn := mustFill(t, shopInput()), engine(t, shopInput())
	for _, path := range [][]string{{"public"}, {"history", "public"}, {"changes"}, {"ontosql"}} {
		sees(t, conn, filled.View(path))
		for _, name := range []string{"customer", "commits", "pg_class", "history.customer"} {
			oid, ok := filled.Regclass(name, path)
			want := "∅\n"
			if ok {
				want = fmt.Sprintln(oid)
			}
			if got := query(t, conn, "SELECT "+Schema+".regclass_oid('"+name+"')"); got != want {
				t.Errorf("on path %v the macro says %s is %s, Regclass %s", path, name, got, want)
			}
			if !ok {
				continue
			}
			visible := query(t, conn, fmt.Sprintf("SELECT %s.pg_table_is_visible(%d)", Schema, oid))
			if want := fmt.Sprintln(!strings.Contains(name, ".") || path[0] == "history"); visible != want {
				t.Errorf("on path %v pg_table_is_visible(%s) = %s, want %s", path, name, visible, want)
			}
		}
	}
}

func TestGeneratedNamesAreCutAsPostgreSQLCutsThem(t *testing.T) {
	long, wide := strings.Repeat("a", 63), strings.Repeat("é", 31)
	for _, c := range []struct{ table, column, label, want string }{
		{"customer", "", "pkey", "customer_pkey"},
		{"subscription", "left_key", "fkey", "subscription_left_key_fkey"},
		{long, "", "pkey", long[:58] + "_pkey"},
		{long, "left_key", "fkey", long[:49] + "_left_key_fkey"},
		{wide, "", "pkey", wide[:58] + "_pkey"},
		{wide, "a", "fkey", wide[:56] + "_a_fkey"},
	} {
		if got := GeneratedName(c.table, c.column, c.label); got != c.want {
			t.Errorf("GeneratedName(%q, %q, %q) = %q, want %q", c.table, c.column, c.label, got, c.want)
		}
	}
}

// FuzzSplitName: what splits, splits the same way when it is put together again.
func FuzzSplitName(f *testing.F) {
	for _, s := range spellings {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, ok := splitName(text)
		if !ok {
			return
		}
		var again []string
		for _, p := range parts {
			again = append(again, quoted(p))
		}
		got, ok := splitName(strings.Join(again, "."))
		if !ok || strings.Join(got, "\x00") != strings.Join(parts, "\x00") {
			t.Errorf("%q splits into %q, and quoted again into %q", text, parts, got)
		}
	})
}

// Regclass resolves the text of a 'name'::regclass: a relation's name, quoted
// as in SQL, qualified or found along path, or digits. pg_catalog is searched
// first unless path names it. It reports false where PostgreSQL answers 42P01.
func (f *Filled) Regclass(text string, path []string) (oid uint32, ok bool) {
	if oid, ok := parseOID(text); ok {
		return oid, true
	}
	parts, ok := splitName(text)
	if !ok {
		return 0, false
	}
	if n := len(parts); n > 1 {
		oid = f.RelationOID(parts[n-2], parts[n-1])
		return oid, oid != 0
	}
	for _, schema := range withCatalog(path) {
		if oid = f.RelationOID(schema, parts[0]); oid != 0 {
			return oid, true
		}
	}
	return 0, false
}

// TestViewsAreFew: sessions with many different search paths leave only a few views behind.
func TestViewsAreFew(t *testing.T) {
	filled := mustFill(t, shopInput())
	for i := range 1000 {
		v := filled.View([]string{"pg_catalog", fmt.Sprint("s", i), "public"})
		if _, found := v.objectOID(classPgClass, "customer"); !found {
			t.Fatal("customer is not found")
		}
	}
	if n := len(filled.views.byPath); n > mostViews {
		t.Errorf("%d views are kept", n)
	}
}
