package wire

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// sample is a vector of values of one type, the odd and a seeded random lot.
type sample struct {
	name string
	v    column.Vector
	n    int
	zone string
}

func samples(rng *rand.Rand) []sample {
	const n = 1500
	var all []sample
	add := func(name string, v column.Vector, n int) { all = append(all, sample{name: name, v: v, n: n}) }

	ints := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt32, math.MinInt32}
	for range n {
		ints = append(ints, int64(rng.Uint64())>>rng.IntN(64))
	}
	i64 := column.Vector{Type: column.Type{Kind: column.Int64}, I64: ints}
	i32 := column.Vector{Type: column.Type{Kind: column.Int32}}
	i16 := column.Vector{Type: column.Type{Kind: column.Int16}}
	u32 := column.Vector{Type: column.Type{Kind: column.Uint32}}
	bools := column.Vector{Type: column.Type{Kind: column.Bool}}
	for _, i := range ints {
		i32.I32, i16.I16, u32.U32 = append(i32.I32, int32(i)), append(i16.I16, int16(i)), append(u32.U32, uint32(i))
		bools.Bool = append(bools.Bool, i&1 == 0)
	}
	add("int8", i64, len(ints))
	add("int4", i32, len(ints))
	add("int2", i16, len(ints))
	add("oid", u32, len(ints))
	add("bool", bools, len(ints))

	floats := []float64{
		0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e23, -1e23, 1e22, 1e15, 1e14, 123456789012345,
		999999999999999.9, 1e-4, 1e-5, 9.99e-5, 5e-324, math.MaxFloat64, 1 << 53, 1<<53 + 2, 0.1, 1.0 / 3, 2e22, 9e22, 1e16, 1e6, 1e5, 1e-7,
	}
	for e := range 60 {
		floats = append(floats, math.Pow(10, float64(e)), 5*math.Pow(10, float64(e)), math.Ldexp(1, e), 9*math.Pow(10, float64(e)))
	}
	for range n {
		floats = append(floats, math.Float64frombits(rng.Uint64()), float64(rng.IntN(1e6))/100,
			float64(1+rng.IntN(999))*math.Pow(10, float64(rng.IntN(24))))
	}
	f64 := column.Vector{Type: column.Type{Kind: column.Float64}, F64: floats}
	f32 := column.Vector{Type: column.Type{Kind: column.Float32}}
	for _, f := range floats {
		f32.F32 = append(f32.F32, float32(f))
	}
	for range n {
		f32.F32 = append(f32.F32, math.Float32frombits(rng.Uint32()))
	}
	add("float8", f64, len(floats))
	add("float4", f32, len(f32.F32))

	wide := []column.Int128{{}, {Lo: 1}, {Lo: 10}, {Lo: 10_000}, {Lo: 1_000_000_000_000}, {Lo: math.MaxUint64}, {Hi: 1}, {Hi: -1, Lo: math.MaxUint64}}
	for range n {
		w := column.Int128{Hi: int64(rng.Uint64()) >> (2 + rng.IntN(62)), Lo: rng.Uint64()}
		if rng.IntN(2) == 0 {
			w = column.Int128{Lo: rng.Uint64() >> rng.IntN(64)}
		}
		wide = append(wide, w)
	}
	for _, scale := range []uint8{0, 2, 3, 12, 38} {
		add("numeric", column.Vector{Type: column.Type{Kind: column.Numeric, Width: 38, Scale: scale}, I128: wide}, len(wide))
	}
	add("uuid", column.Vector{Type: column.Type{Kind: column.UUID}, I128: wide}, len(wide))

	all = append(all, textSamples(rng, n)...)
	return append(all, timeSamples(rng, n)...)
}

func textSamples(rng *rand.Rand, n int) []sample {
	texts := [][]byte{{}, []byte("NULL"), []byte("null"), []byte(`a"b\c`), []byte("{}"), []byte("a,b"), []byte(" a"), []byte("é\t€"), []byte("\v")}
	raw := [][]byte{{}, {0}, {0xff, 0x5c, 0x22}}
	bits := [][]byte{[]byte(""), []byte("0"), []byte("1"), []byte("11111111"), []byte("101010101")}
	for range n / 10 {
		var text, bytes, digits []byte
		for range rng.IntN(40) {
			digits = append(digits, "01"[rng.IntN(2)])
		}
		bits = append(bits, digits)
		for range rng.IntN(20) {
			text = append(text, " ,{}\"\\abcNUL\téß"[rng.IntN(12)])
			bytes = append(bytes, byte(rng.Uint32()))
		}
		texts, raw = append(texts, text), append(raw, bytes)
	}
	return []sample{
		{name: "text", v: column.Vector{Type: column.Type{Kind: column.Text}, Str: texts}, n: len(texts)},
		{name: "varchar", v: column.Vector{Type: column.Type{Kind: column.Text, Name: "varchar"}, Str: texts}, n: len(texts)},
		{name: "varbit", v: column.Vector{Type: column.Type{Kind: column.Text, Name: "varbit"}, Str: bits}, n: len(bits)},
		{name: "bytea", v: column.Vector{Type: column.Type{Kind: column.Bytes}, Str: raw}, n: len(raw)},
	}
}

func timeSamples(rng *rand.Rand, n int) []sample {
	days := []int32{0, -1, 10957, column.DateInfinity, column.DateNegInfinity, minDay, maxDay, -719_162, -719_163, -719_528, -719_529, 2_932_896, 2_932_897}
	var clocks []int64
	moments := []int64{
		0, -1, 1, column.TimestampInfinity, column.TimestampNegInfinity, minDay * microsPerDay,
		maxTimestampDay*microsPerDay - 1, -719_163 * microsPerDay, -719_162 * microsPerDay, -719_528 * microsPerDay,
	}
	intervals := []column.MonthsDaysMicros{
		{},
		{Months: 1},
		{Months: 14, Days: 1, Micros: 1},
		{Months: -14},
		{Days: -1, Micros: 1},
		{Months: -1, Days: 2},
		{Days: 1, Micros: -1},
		{Months: 12, Days: -1, Micros: 3_600_000_000},
		{Micros: -59_999_999},
		{Micros: math.MaxInt64},
		{Micros: math.MinInt64},
		{Micros: 500_000},
		{Months: math.MaxInt32, Days: math.MaxInt32},
		{Months: math.MinInt32, Days: math.MinInt32},
	}
	clocks = append(clocks, 0, microsPerDay, microsPerDay-1, 1, 100_000)
	for range n {
		days = append(days, int32(rng.IntN(4_000_000)-2_000_000), int32(rng.IntN(60_000)))
		clocks = append(clocks, rng.Int64N(microsPerDay), rng.Int64N(86_400)*1_000_000)
		moments = append(moments, rng.Int64N(300_000*microsPerDay)-100_000*microsPerDay, rng.Int64N(4_000_000_000)*1_000_000/2)
		intervals = append(intervals, column.MonthsDaysMicros{
			Months: int32(rng.IntN(100) - 50), Days: int32(rng.IntN(9) - 4), Micros: (rng.Int64N(2e11) - 1e11) * int64(rng.IntN(2)),
		})
	}
	places := []int64{0, 1, 1<<48 - 1}
	for range n {
		places = append(places, rng.Int64N(1<<48))
	}
	var zoned [][]byte
	for _, clock := range clocks {
		zoned = append(zoned, datetime.AppendTimeTZ(nil, clock, rng.Int64N(2*57_599)-57_599))
	}
	all := []sample{
		{name: "tid", v: column.Vector{Type: column.Type{Kind: column.Int64, Name: "tid"}, I64: places}, n: len(places)},
		{name: "timetz", v: column.Vector{Type: column.Type{Kind: column.Text, Name: "timetz"}, Str: zoned}, n: len(zoned)},
		{name: "date", v: column.Vector{Type: column.Type{Kind: column.Date}, I32: days}, n: len(days)},
		{name: "time", v: column.Vector{Type: column.Type{Kind: column.Time}, I64: clocks}, n: len(clocks)},
		{name: "timestamp", v: column.Vector{Type: column.Type{Kind: column.Timestamp}, I64: moments}, n: len(moments)},
		{name: "interval", v: column.Vector{Type: column.Type{Kind: column.Interval}, Interval: intervals}, n: len(intervals)},
	}
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Kolkata", "Africa/Monrovia", "Australia/Lord_Howe", "Europe/Dublin"} {
		all = append(all, sample{
			name: "timestamptz", v: column.Vector{Type: column.Type{Kind: column.TimestampTZ}, I64: moments}, n: len(moments), zone: zone,
		})
	}
	return all
}

// TestEncodersAgainstPostgres sends every sample to PostgreSQL as one array in
// our binary form and asks for the array and its elements back in both forms,
// which must be ours byte for byte. Reading our binary form as a parameter must
// give our text form.
func TestEncodersAgainstPostgres(t *testing.T) {
	conn := connectPostgres(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, s := range samples(rand.New(rand.NewPCG(seed, 1))) {
		t.Run(fmt.Sprintf("%s/%d%s", s.name, s.v.Type.Scale, strings.ReplaceAll(s.zone, "/", "-")), func(t *testing.T) {
			zone := time.UTC
			if s.zone != "" {
				var err error
				if zone, err = time.LoadLocation(s.zone); err != nil {
					t.Fatal(err)
				}
				run(t, conn, "set timezone = '"+s.zone+"'", nil, 0, 0)
			}
			// An array with NULLs in it.
			s.v.SetNull(s.n/2, s.n)
			list := column.Vector{
				Type: column.Type{Kind: column.List, Elem: &s.v.Type}, Child: &s.v, Lists: []column.Span{{Length: uint64(s.n)}},
			}
			elemOID, _ := OIDOf(s.v.Type)
			arrayOID, _ := OIDOf(list.Type)
			array := encodeAll(t, list, 1, arrayOID, 1, zone)[0]
			for _, format := range []int16{0, 1} {
				compareValues(t, "array", format, run(t, conn, "select $1::"+s.name+"[]", array, arrayOID, format),
					encodeAll(t, list, 1, arrayOID, format, zone))
				compareValues(t, s.name, format, run(t, conn, "select unnest($1::"+s.name+"[])", array, arrayOID, format),
					encodeAll(t, s.v, s.n, elemOID, format, zone))
			}
			texts, binaries := encodeAll(t, s.v, s.n, elemOID, 0, time.UTC), encodeAll(t, s.v, s.n, elemOID, 1, nil)
			for i := range texts {
				if binaries[i] == nil {
					continue
				}
				got, err := binaryToText(1, elemOID, binaries[i], nil)
				if err != nil || string(got) != string(texts[i]) {
					t.Errorf("parameter 0x%x read as %q, %v; want %q", binaries[i], got, err, texts[i])
				}
			}
		})
	}
}

func connectPostgres(t *testing.T) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// run returns the first column of a query with at most one parameter, which is
// in binary.
func run(t *testing.T, conn *pgconn.PgConn, sql string, arg []byte, oid uint32, format int16) [][]byte {
	t.Helper()
	var args [][]byte
	var oids []uint32
	if arg != nil {
		args, oids = [][]byte{arg}, []uint32{oid}
	}
	result := conn.ExecParams(t.Context(), sql, args, oids, []int16{1}, []int16{format}).Read()
	if result.Err != nil {
		t.Fatalf("%s: %v", sql, result.Err)
	}
	var values [][]byte
	for _, row := range result.Rows {
		values = append(values, row[0])
	}
	return values
}

func encodeAll(t *testing.T, v column.Vector, n int, oid uint32, format int16, zone *time.Location) [][]byte {
	t.Helper()
	batch := &column.Batch{Len: n, Cols: []column.Vector{v}}
	e, err := newRowEncoder([]Column{{OID: oid}}, batch, []int16{format}, &textout.Style{Zone: zone}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var values [][]byte
	for i := range n {
		if v.IsNull(i) {
			values = append(values, nil)
			continue
		}
		values = append(values, e.columns[0]([]byte{}, &batch.Cols[0], i))
	}
	return values
}

func compareValues(t *testing.T, what string, format int16, want, got [][]byte) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s format %d: PostgreSQL has %d values, we have %d", what, format, len(want), len(got))
	}
	wrong := 0
	for i := range want {
		if string(want[i]) == string(got[i]) && (want[i] == nil) == (got[i] == nil) {
			continue
		}
		if wrong++; wrong > 5 {
			t.Fatal("and so on")
		}
		t.Errorf("%s format %d value %d:\n got %.300q\nwant %.300q", what, format, i, got[i], want[i])
	}
}

// TestJSONBAgainstPostgres compares canonical forms of random documents.
func TestJSONBAgainstPostgres(t *testing.T) {
	conn := connectPostgres(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	docs := column.Vector{Type: column.Type{Kind: column.Text}}
	for range 3000 {
		docs.Str = append(docs.Str, []byte(randomJSON(rng, 0)))
	}
	n := len(docs.Str)
	list := column.Vector{
		Type: column.Type{Kind: column.List, Elem: &docs.Type}, Child: &docs, Lists: []column.Span{{Length: uint64(n)}},
	}
	array := encodeAll(t, list, 1, 1009, 1, nil)[0]
	for _, format := range []int16{0, 1} {
		want := run(t, conn, "select unnest($1::text[])::jsonb", array, 1009, format)
		compareValues(t, "jsonb", format, want, encodeAll(t, docs, n, oidJSONB, format, nil))
	}
}

func randomJSON(rng *rand.Rand, depth int) string {
	space := []string{"", "", " ", "\n\t"}[rng.IntN(4)]
	kind := rng.IntN(8)
	if depth > 4 {
		kind = rng.IntN(5)
	}
	var b strings.Builder
	switch kind {
	case 0:
		return []string{"true", "false", "null"}[rng.IntN(3)] + space
	case 1, 2:
		return space + randomJSONNumber(rng)
	case 3, 4:
		return randomJSONString(rng) + space
	case 5:
		b.WriteString("[" + space)
		for i := range rng.IntN(5) {
			if i > 0 {
				b.WriteString("," + space)
			}
			b.WriteString(randomJSON(rng, depth+1))
		}
		return b.String() + "]" + space
	}
	b.WriteString("{" + space)
	for i := range rng.IntN(6) {
		if i > 0 {
			b.WriteString("," + space)
		}
		b.WriteString(randomJSONString(rng) + space + ":" + space + randomJSON(rng, depth+1))
	}
	return b.String() + "}" + space
}

func randomJSONNumber(rng *rand.Rand) string {
	n := []string{"", "-"}[rng.IntN(2)] + []string{"0", fmt.Sprint(1 + rng.IntN(5000))}[rng.IntN(2)]
	if rng.IntN(2) == 0 {
		n += "." + []string{"0", "00", "5", "250", "007"}[rng.IntN(5)]
	}
	if rng.IntN(2) == 0 {
		n += []string{"e", "E"}[rng.IntN(2)] + []string{"", "+", "-"}[rng.IntN(3)] + fmt.Sprint(rng.IntN(30))
	}
	return n
}

func randomJSONString(rng *rand.Rand) string {
	parts := []string{"a", "b", "aa", "é", "€", `\n`, `\"`, `\\`, `\/`, `\u00e9`, `\u001f`, `\ud83d\ude00`, "\u007f", "😀", `\b\f\r\t`}
	s := `"`
	for range rng.IntN(3) {
		s += parts[rng.IntN(len(parts))]
	}
	return s + `"`
}
