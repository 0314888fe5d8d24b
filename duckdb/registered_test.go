package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// counted returns a number of batches of rows (number, word), and then an error.
type counted struct {
	batches, rows int
	end           error
	given         int
}

func (c *counted) Next(context.Context) (*column.Batch, error) {
	if c.given == c.batches {
		return nil, c.end
	}
	b := column.NewBuilder(countedColumns)
	for i := range c.rows {
		n := c.given*c.rows + i
		var word any
		if n%10 != 3 {
			word = strings.Repeat("word ", n%7)
		}
		b.Append(n, word)
	}
	c.given++
	return b.Batch(), nil
}

var countedColumns = []column.Named{{Name: "n", Type: column.Type{Kind: column.Int64}}, {Name: "word", Type: column.Type{Kind: column.Text}}}

func TestRegisteredRowsAreReadAsARelation(t *testing.T) {
	e := openEngine(t, Options{})
	c := connect(t, e)
	const rows = 5 * 3000 // a batch is larger than a chunk of DuckDB
	o := e.RegisterRows(t.Context(), countedColumns, &counted{batches: 5, rows: 3000, end: io.EOF}, rows)
	defer o.Unregister()
	if err := c.ExecBackground(t.Context(), "CREATE TABLE taken AS SELECT n + 1 AS m, word, row_number() OVER () - 1 AS place FROM "+o.SQL()); err != nil {
		t.Fatal(err)
	}
	got := one(t, c, "SELECT concat_ws(' ', count(*), sum(m), count(*) FILTER (WHERE word IS NULL), count(*) FILTER (WHERE word = repeat('word ', (m - 1) % 7)), count(*) FILTER (WHERE place <> m - 1)) FROM taken")
	if want := fmt.Sprintf("%d %d %d %d 0", rows, rows*(rows+1)/2, rows/10, rows-rows/10); got != want {
		t.Errorf("%d rows were registered, and DuckDB read %v, want %s", rows, got, want)
	}
	if err := c.Exec(t.Context(), "SELECT count(*) FROM "+o.SQL()); err == nil {
		t.Error("registered rows were scanned a second time")
	}
}

// lending returns batches whose texts are in memory that the next batch overwrites.
type lending struct {
	batches, rows int
	given         int
	memory        []byte
}

// textOf is a text of row n; some are too long to be stored inline.
func textOf(n int) string { return strings.Repeat(fmt.Sprintf("%d ", n), n%5) }

func (l *lending) Next(context.Context) (*column.Batch, error) {
	if l.given == l.batches {
		return nil, io.EOF
	}
	b := &column.Batch{Len: l.rows, Cols: []column.Vector{{Type: column.Type{Kind: column.Int64}}, {Type: column.Type{Kind: column.Text}}}}
	clear(l.memory)
	l.memory = l.memory[:0]
	for i := range l.rows {
		n := l.given*l.rows + i
		b.Cols[0].I64 = append(b.Cols[0].I64, int64(n))
		start := len(l.memory)
		l.memory = append(l.memory, textOf(n)...)
		text := l.memory[start:]
		switch n % 7 {
		case 3:
			text = []byte(textOf(n)) // outside the shared memory
		case 4:
			b.Cols[1].SetNull(i, l.rows)
		}
		b.Cols[1].Str = append(b.Cols[1].Str, text)
	}
	l.given++
	b.Texts = l.memory
	return b, nil
}

func TestRegisteredTextsAreReadBeforeTheNextBatch(t *testing.T) {
	e := openEngine(t, Options{})
	c := connect(t, e)
	const batches, rows = 4, 3000 // a batch is larger than a chunk of DuckDB
	memory := make([]byte, 0, rows*len(textOf(batches*rows-1)))
	o := e.RegisterRows(t.Context(), countedColumns, &lending{batches: batches, rows: rows, memory: memory}, batches*rows)
	defer o.Unregister()
	if err := c.Exec(t.Context(), "CREATE TABLE taken AS SELECT n, CASE WHEN n >= 0 THEN word END AS word FROM "+o.SQL()); err != nil {
		t.Fatal(err)
	}
	taken := 0
	err := c.Each(t.Context(), "SELECT n, word FROM taken ORDER BY n", nil, func(b *column.Batch, i int) {
		n := int(b.Cols[0].I64[i])
		null := b.Cols[1].IsNull(i)
		if n != taken || null != (n%7 == 4) || !null && string(b.Cols[1].Str[i]) != textOf(n) {
			t.Errorf("row %d is %d with %q, want %q", taken, n, b.Cols[1].Str[i], textOf(n))
		}
		taken++
	})
	if err != nil || taken != batches*rows {
		t.Errorf("%d of %d rows were read: %v", taken, batches*rows, err)
	}
}

func TestFailedSourceFailsTheStatement(t *testing.T) {
	e := openEngine(t, Options{})
	c := connect(t, e)
	broken := errors.New("the rows are gone")
	o := e.RegisterRows(t.Context(), countedColumns, &counted{batches: 2, rows: 10, end: broken}, 100)
	if err := c.Exec(t.Context(), "CREATE TABLE taken AS FROM "+o.SQL()); err == nil || !errors.Is(o.Err(), broken) {
		t.Errorf("the source failed with %q, the statement with %v, and Err returned %v", broken, err, o.Err())
	}
	o.Unregister()
	if err := c.Exec(t.Context(), "FROM "+o.SQL()); err == nil {
		t.Error("registered rows were read after Unregister")
	}
	exec(t, c, "CREATE TABLE taken (n BIGINT)") // the failed statement left no table
}

// TestVirtualTableRows prepares one statement that scans a virtual table twice, and runs it
// with different rows.
func TestVirtualTableRows(t *testing.T) {
	e := openEngine(t, Options{})
	c := connect(t, e)
	o := e.NewVirtualTable(countedColumns, 10)
	defer o.Unregister()
	st, err := c.Prepare(t.Context(), "SELECT count(*) || ' ' || coalesce(sum(a.n), 0) FROM "+o.SQL()+" AS a JOIN "+o.SQL()+" AS b USING (n)")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for i, want := range []string{"0 0", "3000 4498500", "1 0", "0 0"} {
		if rows := []int{0, 3000, 1, 0}[i]; i > 0 {
			batch, err := (&counted{batches: 1, rows: rows}).Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			o.SetRows(batch)
		}
		rows, err := st.Query(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := rows.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := show(&batch.Cols[0], 0); got != want {
			t.Errorf("run %d: the statement returned %q, want %q", i, got, want)
		}
		rows.Close()
	}
	o.Unregister()
	if err := c.Exec(t.Context(), "FROM "+o.SQL()); err == nil {
		t.Error("a virtual table was read after Unregister")
	}
}
