package wire

import (
	"bytes"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// oneOf is a vector with one value of a kind, none of them the easiest.
func oneOf(t *testing.T, kind column.Kind) column.Vector {
	v := column.Vector{Type: column.Type{Kind: kind}}
	switch kind {
	case column.Null:
	case column.Bool:
		v.Bool = []bool{true}
	case column.Int16:
		v.I16 = []int16{-32768}
	case column.Int32:
		v.I32 = []int32{-2147483648}
	case column.Int64:
		v.I64 = []int64{-9223372036854775808}
	case column.Uint32:
		v.U32 = []uint32{4294967295}
	case column.Float32:
		v.F32 = []float32{1.1754944e-38}
	case column.Float64:
		v.F64 = []float64{1e23} // lies halfway between two floats
	case column.Numeric:
		v.Type.Width, v.Type.Scale = 38, 12
		v.I128 = []column.Int128{{Lo: 12_500_000_000_000, Hi: -1 << 60}}
	case column.Text, column.Bytes:
		v.Str = [][]byte{[]byte("a \"quoted\" text, with a comma")}
	case column.JSON:
		v.Str = [][]byte{[]byte(`{"bb":[1.5e3,{"x":"\n"}],"a":null,"c\u0041":-0.0}`)}
	case column.UUID:
		v.I128 = []column.Int128{{Lo: 1, Hi: -1}}
	case column.Date:
		v.I32 = []int32{-1_000_000}
	case column.Time:
		v.I64 = []int64{86_399_999_999}
	case column.Timestamp, column.TimestampTZ:
		v.I64 = []int64{1_700_000_000_123_456}
	case column.Interval:
		v.Interval = []column.MonthsDaysMicros{{Months: 13, Days: -1, Micros: 1}}
	case column.List:
		child := oneOf(t, column.Text)
		child.Str = append(child.Str, []byte("c"))
		v.Type.Elem, v.Child, v.Lists = &child.Type, &child, []column.Span{{Length: 2}}
	default:
		t.Fatalf("kind %v has no value here", kind)
	}
	return v
}

// TestRowsAllocateNothing holds for every kind of column, in both formats.
func TestRowsAllocateNothing(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for kind := column.Null; kind <= column.List; kind++ {
		v := oneOf(t, kind)
		batch := &column.Batch{Len: 1, Cols: []column.Vector{v, v}}
		batch.Cols[1].SetNull(0, 1)
		columns := make([]Column, 2)
		columns[0].OID, columns[0].Size = OIDOf(v.Type)
		columns[1] = columns[0]
		for _, format := range []int16{pgproto3.TextFormat, pgproto3.BinaryFormat} {
			t.Run(fmt.Sprintf("%v/%d", kind, format), func(t *testing.T) {
				e, err := newRowEncoder(columns, batch, []int16{format}, &textout.Style{Zone: newYork}, nil)
				if err != nil {
					t.Fatal(err)
				}
				buf, _ := e.appendRow(nil, batch, 0)
				if n := testing.AllocsPerRun(100, func() { buf, _ = e.appendRow(buf[:0], batch, 0) }); n != 0 {
					t.Errorf("%v allocations a row, want none", n)
				}
			})
		}
	}
}

// endless makes a fake whose every result is a batch of customers again and
// again.
func endless(times int) (h *fake, batchBytes int) {
	batch, columns := benchRows(2048)
	h = newFake()
	h.times = times
	h.batch = func(sql string) (*column.Batch, []Column, bool) { return batch, columns, sql == "rows" }
	return h, 2048 * 70
}

// ask sends a query of the fake's rows.
func ask(t *testing.T, conn net.Conn, f *pgproto3.Frontend) {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	f.Send(&pgproto3.Query{String: "rows"})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
}

// readyForQuery is how an answer ends, and a row of customers never.
var readyForQuery = []byte{'Z', 0, 0, 0, 5, 'I'}

// TestLongResultTakesNoMemory reads ten million rows and looks at the heap
// meanwhile.
func TestLongResultTakesNoMemory(t *testing.T) {
	const rows = 10_000_000
	h, _ := endless(rows/2048 + 1)
	conn := dial(t, startServer(t, Options{Handler: h}))
	f := login(t, conn)
	buf := make([]byte, 1<<20)
	before, most, total := heap(), int64(0), 0
	ask(t, conn, f)
	for looked := 0; ; {
		n, err := conn.Read(buf)
		if err != nil {
			t.Fatalf("after %d bytes: %v", total, err)
		}
		total += n
		if total-looked > 64<<20 {
			most, looked = max(most, heap()-before), total
		}
		if bytes.HasSuffix(buf[:n], readyForQuery) {
			break
		}
	}
	if total < rows*60 {
		t.Errorf("%d bytes came, too few for %d rows", total, rows)
	}
	if most > 4<<20 {
		t.Errorf("the heap grew by %d KiB meanwhile", most>>10)
	}
}

// TestClientThatDoesNotRead leaves an endless result unread. It must come to a
// stand after what the sockets hold, at the cost of one buffer, while another
// session is served; and go on when the client reads again.
func TestClientThatDoesNotRead(t *testing.T) {
	h, batchBytes := endless(1 << 30)
	addr := startServer(t, Options{Handler: h})
	conn := dial(t, addr)
	f := login(t, conn)
	other := connect(t, addr, "")
	before := heap()
	ask(t, conn, f)
	asked, same := int64(0), 0
	for same < 300 {
		if _, err := other.Exec(t.Context(), "select generate_series(1, 1)"); err != nil {
			t.Fatalf("another session: %v", err)
		}
		now := h.asked.Load()
		if now > asked || now == 0 {
			asked, same = now, 0
		}
		same++
		if int(now)*batchBytes > 256<<20 {
			t.Fatalf("%d batches were asked for, and nobody reads them", now)
		}
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d KiB are held for a client that does not read", grown>>10)
	}
	buf := make([]byte, 1<<20)
	for total := 0; total < 2*int(asked)*batchBytes; {
		n, err := conn.Read(buf)
		if err != nil {
			t.Fatalf("reading again: %v", err)
		}
		total += n
	}
	if h.asked.Load() <= asked {
		t.Error("the statement did not go on")
	}
}
