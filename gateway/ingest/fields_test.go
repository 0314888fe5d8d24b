package ingest

import (
	"fmt"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// someValues are JSON values for any field.
var someValues = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `007`, `42`, `-42`, `999999999999999`, `-99999999999999`, `9007199254740993`, `9223372036854775807`,
	`9223372036854775808`, `-9223372036854775809`, `123456789012345678901234567890`, `0.0`, `-0.0`, `1.0`, `3.7`, `5860.64`, `0.1`, `-2.5`, `1e3`, `1E+3`, `1e-7`, `2.5e-320`,
	`5e-324`, `1e308`, `1e309`, `1.7976931348623157e+308`, `0.30000000000000004`, `2.2250738585072011e-308`, `179769313486231570000000000000000000000.0`,
	`""`, `"a"`, `"12"`, `"3.5"`, `"true"`, `"null"`, `"x y"`, `"say \"x\""`, `"a\\b"`, `"a\nb\tc"`, `"gr\u00fc\u00df"`, `"\u4e2d\u6587"`, `"/"`, `"{\"a\":1}"`,
	`[]`, `[1,2]`, `{}`, `{"value":1}`, `[{"value":"x"}]`,
}

// fieldsType has a field of each kind that is read here, and one of another.
func fieldsType() *catalog.Type {
	t := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}, SchemaID: 1}
	for name, kind := range map[string]column.Kind{"text": column.Text, "whole": column.Int64, "number": column.Float64, "yes": column.Bool, "gr\u00fcn \"x\"": column.Text, "day": column.Date} {
		t.Columns = append(t.Columns, catalog.Column{Name: name, Field: name, Role: catalog.FromField, Type: column.Type{Kind: kind}})
	}
	return t
}

// TestFieldsAreReadAsTheEngineReadsThem holds what is read here against what the engine
// makes of the same text.
func TestFieldsAreReadAsTheEngineReadsThem(t *testing.T) {
	conn := openEngine(t)
	r := newFieldReader(fieldsType())
	if len(r.fields) != 5 {
		t.Fatalf("%d fields are read, want 5", len(r.fields))
	}
	cols := make([]column.Vector, len(r.fields)+1)
	left := 0
	for _, value := range someValues {
		for at, c := range r.fields {
			text := fmt.Appendf(nil, `{"a": {"text": 7}, %s: %s, "z": "\ud83d\ude00"}`, format.String(c.Field).Append(nil, format.Canonical), value)
			var speller format.Speller
			if _, _, err := speller.Append(nil, text); err != nil {
				continue // not JSON, so it is not read
			}
			stored, shape, err := speller.Append(nil, text)
			if err != nil {
				t.Fatal(err)
			}
			r.reset(cols, 3)
			byShape := r.read(stored, shape, cols, 1)
			r.reset(cols, 3)
			read := r.read(stored, nil, cols, 1)
			if byShape != read {
				t.Errorf("%s is read: %v, and by its shape %v", stored, read, byShape)
			}
			if shape != nil {
				r.reset(cols, 3)
				r.read(stored, shape, cols, 1)
			}
			if !read {
				left++
				if !cols[at].IsNull(1) || cols[len(r.fields)].Bool[1] {
					t.Errorf("%s is not read, and something of it stands in the columns", stored)
				}
				continue
			}
			got, want := cellText(&cols[at], 1), "nothing"
			sql := "SELECT " + scan.FieldOf(c, duckdb.Literal(string(stored)))
			err = conn.Each(t.Context(), sql, nil, func(b *column.Batch, i int) { want = cellText(&b.Cols[0], i) })
			if err != nil || got != want {
				t.Errorf("%s of %s is read as %s, and by the engine as %s, %v", c.Field, stored, got, want, err)
			}
		}
	}
	if all := len(someValues) * len(r.fields); left > all*3/4 {
		t.Errorf("%d of %d Values are left to the engine", left, all)
	}
}

func cellText(v *column.Vector, i int) string {
	switch {
	case v.IsNull(i):
		return "NULL"
	case v.Type.Kind == column.Int64:
		return fmt.Sprint(v.I64[i])
	case v.Type.Kind == column.Float64:
		return fmt.Sprint(v.F64[i])
	case v.Type.Kind == column.Bool:
		return fmt.Sprint(v.Bool[i])
	}
	return fmt.Sprintf("%q", v.Str[i])
}

// TestHashes finds numbers that come again, and no others.
func TestHashes(t *testing.T) {
	var h hashes
	number := func(i uint64) uint64 { return i * 0x9E3779B97F4A7C14 }
	for round := range 2 {
		for i := range uint64(10_000) {
			if h.add(number(i)) {
				t.Fatalf("round %d: number %d was there before", round, i)
			}
		}
		if !h.add(number(77)) {
			t.Errorf("round %d: a number that comes again is not found", round)
		}
		h.clear()
	}
}
