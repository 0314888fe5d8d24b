package wire

import (
	"encoding/hex"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// TestRecords prints a record of an integer, a text, a NULL and a record, in both formats.
func TestRecords(t *testing.T) {
	texts := column.Vector{Type: column.Type{Kind: column.Text}, Str: [][]byte{[]byte(`a"b\c`)}}
	none := column.Vector{Type: column.Type{Kind: column.Text}, Str: [][]byte{nil}}
	none.SetNull(0, 1)
	record := func(fields ...column.Vector) column.Vector {
		v := column.Vector{Type: column.Type{Kind: column.Record}, Fields: fields}
		for _, f := range fields {
			v.Type.Fields = append(v.Type.Fields, f.Type)
		}
		return v
	}
	inner := record(column.Vector{Type: column.Type{Kind: column.Bool}, Bool: []bool{true}}, column.Vector{Type: none.Type, Str: [][]byte{{}}})
	v := record(column.Vector{Type: column.Type{Kind: column.Int32}, I32: []int32{-2}}, texts, none, inner)
	c := Column{OID: oidRecord, Fields: []Column{
		{OID: oidInt4}, {OID: oidText}, {OID: oidUnknown}, {OID: oidRecord, Fields: []Column{{OID: oidBool}, {OID: oidText}}},
	}}
	var style textout.Style
	encode, err := textEncoder(v.Type, c, &style)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(encode(nil, &v, 0)), `(-2,"a""b\\c",,"(t,"""")")`; got != want {
		t.Errorf("as text %s, want %s", got, want)
	}
	if encode, err = binaryEncoder(v.Type, c, newTranslator(nil)); err != nil {
		t.Fatal(err)
	}
	want := "00000004" + "0000001700000004fffffffe" + "0000001900000005" + hex.EncodeToString(texts.Str[0]) + "000002c1ffffffff" +
		"000008c900000015" + "00000002" + "000000100000000101" + "0000001900000000"
	if got := hex.EncodeToString(encode(nil, &v, 0)); got != want {
		t.Errorf("in binary %s, want %s", got, want)
	}
	if _, err := textEncoder(v.Type, Column{OID: oidRecord, Fields: make([]Column, 5)}, &style); err == nil {
		t.Error("a record of four fields is encoded as one of five")
	}
}
