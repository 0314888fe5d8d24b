package defaults_test

import (
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Macro reports that the session has none.
func (environment) Macro(string) bool { return false }

// TestGeneratedOf: an expression generates a column if it is immutable and names no generated
// column; its text is kept.
func TestGeneratedOf(t *testing.T) {
	of := func(name string, oid uint32) (column.Named, types.Type) {
		return column.Named{Name: name, Type: types.Of(oid).Column()}, types.Of(oid)
	}
	table := scope.Shape{Kind: scope.StoredTable, Schema: "w", Table: "t", Generated: map[string]string{"g": "1"}}
	for name, oid := range map[string]uint32{
		"a": types.Int4, "s": types.Text, "d": types.Date, "ts": types.Timestamp, "tz": types.TimestampTZ, "iv": types.Interval,
		"ar": types.ArrayOf(types.Of(types.Int4)).OID, "j": types.JSONB, "tm": types.Time, "g": types.Text,
	} {
		c, ty := of(name, oid)
		table.Columns, table.Types = append(table.Columns, c), append(table.Types, ty)
	}
	for _, c := range []struct{ text, code string }{
		{"upper(s) || 'x'", ""},
		{"a::text || s || a", ""},
		{"((tz AT TIME ZONE 'UTC')::date - d)::text", ""},
		{"date_trunc('day', ts) + iv", ""},
		{"tz - tz", ""},
		{"ar || a", ""},
		{"j ->> 'k'", ""},
		{"to_timestamp(a)", ""},
		{"coalesce(tz, tz)", ""},
		{"g", "42P17"},
		{"upper(t.g)", "42P17"},
		{"t", "42P17"},
		{"t.*", "42P17"},
		{"xmin", "42P10"},
		{"tableoid", "0A000"},
		{"nosuch", "42703"},
		{"(SELECT 1)", "0A000"},
		{"ts > 'now'::timestamp", "0A000"},
		{"d > 'tomorrow'", "0A000"},
		{"tz > '2024-01-01 10:00'", "0A000"},
		{"CASE WHEN tz > '2024-01-01 10:00+02' AND tz < 'infinity' THEN 1 ELSE 2 END", ""},
		{"tz > '2024-01-01 10:00 Europe/Berlin'::timestamptz", ""},
		{"d > '01/02/2024'", "0A000"},
		{"d IN ('2024-02-01', 'Feb 3, 2024')", ""},
		{"(ts > '2024-01-01 10:00')", ""},
		{"max(a)", "42803"},
		{"row_number() OVER ()", "42P20"},
		{"generate_series(1, 2)", "0A000"},
		{"random()", "42P17"},
		{"CURRENT_DATE", "42P17"},
		{"now()", "42P17"},
		{"to_char(a, '9')", "42P17"},
		{"d::text", "42P17"},
		{"s || ts", "42P17"},
		{"s::date", "42P17"},
		{"s::time", "42P17"},
		{"ar::text", "42P17"},
		{"tz::date", "42P17"},
		{"date(tz)", "42P17"},
		{"d::timestamptz", "42P17"},
		{"tz + iv", "42P17"},
		{"tz > d", "42P17"},
		{"tz IN (d)", "42P17"},
		{"coalesce(tz, ts)", "42P17"},
		{"greatest(d, tz)", "42P17"},
		{"ARRAY[tz, d]", "42P17"},
		{"CASE WHEN a = 1 THEN tz ELSE ts END", "42P17"},
		{"extract(year FROM tz)", "42P17"},
		{"age(ts)", "42P17"},
		{"to_timestamp(s, 'YYYY')", "42P17"},
	} {
		x, err := defaults.ParseExpression(c.text)
		if err != nil {
			t.Fatal(err)
		}
		text, err := x.GeneratedOf(&table, "g", environment{})
		if code := codeOf(err); code != c.code || code == "" && text != x.String() {
			t.Errorf("%s: got %q, %v; want %s", c.text, text, err, c.code)
		}
	}
	if x, _ := defaults.ParseExpression("'x'"); x != nil {
		if text, err := x.GeneratedOf(&table, "g", environment{}); text != "'x'::text" || err != nil {
			t.Errorf("a literal is kept as %q (%v), want its type behind it", text, err)
		}
	}
}
