package transfer

import (
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
)

// FuzzRecord reads lines and fits them to a type: what is taken has a key, and is a
// record again when it is exported.
func FuzzRecord(f *testing.F) {
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "every"}
	key := format.NewField("id", format.FieldInt, false)
	key.PrimaryKey = true
	schema := &format.Schema{Ref: ref, Fields: []format.SchemaField{key}}
	for kind, name := range map[format.FieldType]string{
		format.FieldStr: "s", format.FieldFloat: "f", format.FieldBool: "b", format.FieldDatetime: "t", format.FieldDate: "d",
		format.FieldDecimal: "n", format.FieldUUID: "u", format.FieldBytes: "x", format.FieldJSON: "j",
	} {
		schema.Fields = append(schema.Fields, format.NewField(name, kind, true))
	}
	s := newRecordChecker(&catalog.Type{Ref: ref}, schema)
	for _, fields := range []string{
		`"id":1`, `"id":"1_0.00"`, `"id":1e300`, `"id":-9223372036854775808`, `"id":true,"f":"nan","b":"off"`, `"id":1,"n":1e30,"u":"{}"`,
		`"id":1,"t":"2026-01-01","d":"2026-01-01","x":"AA==","j":{"a":[NaN,"\ud800"]},"s":"\u0000"`,
	} {
		f.Add([]byte(`{"type_kind":"entity","type_name":"every","key":null,"fields":{` + fields + `}}`))
		f.Add([]byte(`{"type_kind":"entity","type_name":"every","fields":{` + fields + `}}`))
	}
	f.Add([]byte(`{"type_kind":"relation","type_name":"every","left_key":1,"right_key":2.5,"instance_key":true,"fields":{}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseRecord(line)
		if err != nil || r.ref != ref {
			return
		}
		if err := s.toRow(&r); err != nil {
			return
		}
		if r.row.Key == "" {
			t.Errorf("%s has no key", line)
		}
		again, err := appendRecord(nil, &catalog.Type{Ref: ref}, &r.row, true)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		back, err := parseRecord(again)
		if err == nil {
			err = s.toRow(&back)
		}
		if err != nil || string(back.row.Fields) != string(r.row.Fields) || back.row.Key != r.row.Key {
			t.Errorf("%s is stored as %s, and again as %s: %v", line, r.row.Fields, back.row.Fields, err)
		}
	})
}
