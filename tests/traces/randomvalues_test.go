package traces

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// valueTypes are the types whose values TestRandomValues sends: their OIDs, the lengths
// of their binary forms, and texts to begin with. A numeric without a scale loses the zeros
// at its end.
var valueTypes = []struct {
	name  string
	oid   uint32
	sizes []int
	texts []string

	whole bool // texts are not damaged: PostgreSQL takes more of them, or minds another fault first
}{
	{"int2", 21, []int{2}, []string{"0", "-32768", "32767", "32768", " 7 ", "0x1f", "1_000", "+5"}, false},
	{"int4", 23, []int{4}, []string{"0", "-2147483648", "2147483647", "2147483648", "1e3", "- 5"}, false},
	{"int8", 20, []int{8}, []string{"0", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "12.0"}, false},
	{"float4", 700, []int{4}, []string{"1.5", "1e39", "1e-50", "NaN", "-Infinity", "inf", "0.1", ".5", "5."}, true},
	{"float8", 701, []int{8}, []string{"1.5", "1e309", "1e-400", "nan", "-inf", "0.1", "3.141592653589793", "1e"}, true},
	{"bool", 16, []int{1}, []string{"t", "TRUE", "yes", "on", "1", "of", "n", "tru", "", "2"}, false},
	{"text", 25, []int{0, 1, 3, 8}, []string{"", "a", "€", "a\tb\n", "\\x41", "Zoë"}, false},
	{"bytea", 17, []int{0, 1, 3, 8}, []string{"", "\\x", "\\x41F", "\\xzz", "abc", "a\\134b", "a\\001", "\\8"}, false},
	{"date", 1082, []int{4}, []string{"2024-02-29", "2023-02-29", "January 8, 1999", "19990108", "infinity", "0044-03-15 BC", "1/8/1999", "epoch", "2024-W05"}, true},
	{"time", 1083, []int{8}, []string{"04:05:06.789", "24:00:00", "24:00:01", "040506", "04:05 AM", "16:05 PM", "allballs"}, true},
	{"timetz", 1266, []int{12}, []string{"04:05:06+02", "04:05:06-12:30", "24:00:00Z", "04:05"}, true},
	{"timestamp", 1114, []int{8}, []string{"2024-02-29 12:00", "2024-02-29T12:00:00.1234567", "infinity", "-infinity", "2024-13-01", "Feb 29 12:00:00 2024", "1999-01-08 04:05:06 -8:00"}, true},
	{"timestamptz", 1184, []int{8}, []string{"2024-03-31 02:30 Europe/Berlin", "2024-02-29 12:00+05:30", "infinity", "2024-02-29 12:00 PST", "294277-01-01"}, true},
	{"interval", 1186, []int{16}, []string{"1 day", "P1Y2M3DT4H5M6S", "1-2 3 4:05:06", "1.5 months", "-1 day +01:00", "@ 1 ago", "1 fortnight", "10 centuries"}, true},
	{"uuid", 2950, []int{16}, []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{A0EEBC999C0B4EF8BB6D6BB9BD380A11}", "a0eebc99", "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11"}, false},
	{"json", 114, []int{2, 4}, []string{"{}", "[1, 2]", `{"a": 1, "a": 2}`, "nul", `"\u00e9"`, "{", " 1 "}, false},
	{"jsonb", 3802, []int{3, 5}, []string{"{}", "[1, 2]", `{"b": 1, "a": 2, "b": 3}`, "nul", `"\u0000"`}, false},
	{"int4[]", 1007, []int{12, 20, 24, 28}, []string{"{}", "{1,2}", "{1,NULL,3}", "{1,", "{a}", "{1 2}", "{ 1 , 2 }"}, false},
	{"text[]", 1009, []int{12, 20, 25, 28}, []string{"{}", `{a,"b c",NULL}`, `{"NULL",null}`, `{"a\"b"}`, "{a}}", "{,}", `{a"b}`}, false},
	{"oid", 26, []int{4}, []string{"0", "4294967295", "4294967296", "-1", "x"}, false},
	{"char(3)", 1042, []int{1, 3, 5}, []string{"a", "abc", "abcd", "abc  "}, false},
	{"varchar(2)", 1043, []int{1, 3}, []string{"a", "ab", "abc", "ab "}, false},
	{"bit(4)", 1560, []int{5}, []string{"1010", "101", "x", "2222", "xA"}, false},
}

// TestRandomValues sends values of all types in text and in binary, good, damaged and
// random, to be answered with in text and in binary.
func TestRandomValues(t *testing.T) {
	theirs, ours := newPostgres(t), serve(t, filepath.Join(t.TempDir(), "store"))
	for seed := range seeds(programs) {
		r := rand.New(rand.NewPCG(seed, 10))
		var program []pgproto3.FrontendMessage
		for range 20 {
			program = append(program, randomValue(r)...)
		}
		want, err := converse(theirs, program)
		if err != nil {
			t.Fatal(err)
		}
		got, err := converse(ours, program)
		if err != nil {
			t.Fatalf("program %d: %v\n%s", seed, err, told(program))
		}
		if difference := firstDifference(want, got); difference != "" {
			t.Errorf("program %d:\n%s%s", seed, told(program), difference)
		}
	}
}

// randomValue asks for a value of a type as it was sent.
func randomValue(r *rand.Rand) []pgproto3.FrontendMessage {
	ty := valueTypes[r.IntN(len(valueTypes))]
	bind := &pgproto3.Bind{ResultFormatCodes: []int16{int16(r.IntN(2))}}
	value := []byte(ty.texts[r.IntN(len(ty.texts))])
	if r.IntN(2) == 0 {
		bind.ParameterFormatCodes = []int16{1}
		value = make([]byte, ty.sizes[r.IntN(len(ty.sizes))])
		for i := range value { // mostly small numbers, as dimensions, lengths and digits are
			value[i] = byte(pick(r, 0, 0, 0, 0, 1, 2, r.IntN(256)))
		}
	}
	if r.IntN(6) == 0 && (bind.ParameterFormatCodes != nil || !ty.whole) {
		value = damaged(r, value)
	}
	bind.Parameters = [][]byte{value}
	sql := fmt.Sprintf("SELECT $1::%s", ty.name)
	return []pgproto3.FrontendMessage{
		&pgproto3.Parse{Query: sql, ParameterOIDs: []uint32{ty.oid}}, bind, &pgproto3.Execute{}, &pgproto3.Sync{},
	}
}

// damaged is a value with a byte more, less or changed.
func damaged(r *rand.Rand, value []byte) []byte {
	if len(value) == 0 || r.IntN(3) == 0 {
		return append(value, pick(r, byte(' '), '1', 'x', 0xff))
	}
	at := r.IntN(len(value))
	if r.IntN(2) == 0 {
		return append(value[:at:at], value[at+1:]...)
	}
	value[at] = pick(r, byte(' '), '0', '-', 'x', '"')
	return value
}
