package input

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/types"
)

// TestArgument reads parameters: what the engine gets, or the code of the refusal.
// tests/compat holds many more texts against PostgreSQL.
func TestArgument(t *testing.T) {
	for _, c := range []struct {
		oid              uint32
		text, want, code string
	}{
		{oid: types.Int8, text: " +7\n", want: "7"},
		{oid: types.Int8, text: "1_000", code: "22P02"},
		{oid: types.Int8, text: "1.5", code: "22P02"},
		{oid: types.Int8, text: "\u00a05", code: "22P02"},
		{oid: types.Int4, text: "2147483648", code: "22003"},
		{oid: types.OID, text: "-1", want: "4294967295"},
		{oid: types.Bool, text: " Yes ", want: "TRUE"},
		{oid: types.Bool, text: "2", code: "22P02"},
		{oid: types.Float8, text: "+Infinity", want: "inf"},
		{oid: types.Float8, text: "1e400", code: "22003"},
		{oid: types.Float8, text: "1e-400", code: "22003"},
		{oid: types.Float8, text: "0e-400", want: "0e-400"},
		{oid: types.Float8, text: "0x10", want: "1.6e+01"},
		{oid: types.Float8, text: "0xg", code: "22P02"},
		{oid: types.Float4, text: "1e39", code: "22003"},
		{oid: types.Numeric, text: "NaN", code: "22003"},
		{oid: types.Numeric, text: "1e30", code: "22003"},
		{oid: types.Numeric, text: " 1e3", want: "1000"},
		{oid: types.Numeric, text: "0.25", want: "0.25"},
		{oid: types.Numeric, text: "-0.00", want: "0.00"},
		{oid: types.Numeric, text: strings.Repeat("0", 10<<20) + "1.50", want: "1.50"},
		{oid: types.Numeric, text: "+1." + strings.Repeat("0", 10<<20), code: "22003"},
		{oid: types.Date, text: "2026-02-29", code: "22008"},
		{oid: types.Date, text: "Jan 5, 2026", want: "2026-01-05"},
		{oid: types.Date, text: "44-03-15", code: "22008"},
		{oid: types.Date, text: "0044-03-15 BC", want: "0044-03-15 (BC)"},
		{oid: types.Date, text: "now", code: "22007"},
		{oid: types.TimestampTZ, text: "2026-02-28 24:00:00+02", want: "2026-02-28 22:00:00.000000+00"},
		{oid: types.TimestampTZ, text: "2026-02-28 24:00:01", code: "22008"},
		{oid: types.TimestampTZ, text: "2026-02-28 10:00+16", code: "22009"},
		{oid: types.TimestampTZ, text: "2026-02-28 10:00 Nowhere/City", code: "22023"},
		{oid: types.Timestamp, text: "2026-02-28 23:59:59.9999999+02", want: "2026-03-01 00:00:00.000000"},
		{oid: types.Time, text: "12:30 AM", want: "00:30:00.000000"},
		{oid: types.Interval, text: "1-2 ago", want: "-14 months 0 days 0 hours 0 microseconds"},
		{oid: types.Interval, text: "1 day 1 day", code: "22007"},
		{oid: types.Interval, text: "1:60:00", code: "22015"},
		{oid: types.Bytea, text: `a\101\\`, want: `\x61415c`},
		{oid: types.Bytea, text: `\x41 42`, want: `\x4142`},
		{oid: types.Bytea, text: `\x4`, code: "22023"},
		{oid: types.Bytea, text: `\9`, code: "22P02"},
		{oid: types.UUID, text: "{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}", want: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{oid: types.UUID, text: " a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", code: "22P02"},
		{oid: types.JSONB, text: `{"a": 1,}`, code: "22P02"},
		{oid: types.JSONB, text: `"\\u0000"`, want: `"\\u0000"`},
		{oid: types.JSONB, text: `"\u0000"`, code: "22P05"},
		{oid: types.JSON, text: `"\u0000"`, want: `"\u0000"`},
		{oid: types.Text, text: " as it is ", want: " as it is "},
		{oid: 1016, text: "{ 1 ,null}", want: `{"1",NULL}`}, // bigint[]
		{oid: 1016, text: "{1,}", code: "22P02"},
		{oid: 1001, text: `{"\\x41"}`, want: `{"\\x41"}`}, // bytea[]
		{oid: 1009, text: "{{a}}", code: "0A000"},         // text[]
	} {
		got, err := Argument(c.oid, []byte(c.text), datetime.TimeInput{})
		code := ""
		if e := new(pgerr.Error); errors.As(err, &e) {
			code = e.Code
		}
		if code != c.code || err == nil && string(got) != c.want {
			t.Errorf("Argument(%s, %q): got %q, %v, want %q %s", types.Type{OID: c.oid, Typmod: -1}, c.text, got, err, c.want, c.code)
		}
	}
	if got, err := Argument(types.Int8, nil, datetime.TimeInput{}); got != nil || err != nil {
		t.Errorf("NULL: got %q, %v", got, err)
	}
}

// FuzzArgument: what was accepted once is accepted again as the same value, and
// no text makes the reader fail.
func FuzzArgument(f *testing.F) {
	for i, seed := range []string{"5", " 1.5e3 ", "2026-02-28 10:11:12.5+02", "Feb 28 2026 10:11 PM", "1 day -2:03", "P1Y2M", `\x41`, `a\101`, "{1,NULL}", `["\u0041"]`, "0001-01-01 BC"} {
		f.Add(uint8(i), seed)
	}
	f.Fuzz(func(t *testing.T, n uint8, text string) {
		info := types.Infos[int(n)%len(types.Infos)]
		for _, oid := range []uint32{info.OID, info.ArrayOID} {
			if oid == 0 || info.OID == types.Interval { // what is written of an interval is the engine's
				continue
			}
			once, err := Argument(oid, []byte(text), datetime.TimeInput{})
			if err != nil {
				if !errors.As(err, new(*pgerr.Error)) {
					t.Fatalf("%s %q: %v is no client's error", types.Type{OID: oid, Typmod: -1}, text, err)
				}
				continue
			}
			if info.OID == types.Date || info.OID == types.Timestamp || info.OID == types.TimestampTZ {
				continue // the engine writes the years before 1 otherwise
			}
			again := once
			if oid == types.WideNumeric { // what is read is a key
				again = column.AppendWide(nil, once, 0)
			} else if info.OID == types.WideNumeric {
				continue
			}
			twice, err := Argument(oid, again, datetime.TimeInput{})
			if err != nil || string(twice) != string(once) {
				t.Fatalf("%s %q: read as %q, and that as %q, %v", types.Type{OID: oid, Typmod: -1}, text, once, twice, err)
			}
		}
	})
}
