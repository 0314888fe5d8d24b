package duckdb

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc"
)

// TestFunctions calls functions of pgfunc over several batches, with NULLs, and with texts,
// integers and lists as arguments and results.
func TestFunctions(t *testing.T) {
	e := openEngine(t, Options{Threads: 2})
	c := connect(t, e)
	const rows = "(SELECT i, CASE WHEN i % 3 <> 0 THEN 'a' || i || '-b' END AS s FROM range(10000) t(i))"
	for _, q := range []struct{ sql, want string }{
		{"SELECT CAST(count(*) FILTER (WHERE ontosql_regexp_replace(s, '[0-9]+', '#', 1, 1, '') = 'a#-b') AS VARCHAR) FROM " + rows, "6666"},
		{"SELECT CAST(count(ontosql_regexp_match(s, '(.)([0-9]+)', '')) AS VARCHAR) FROM " + rows, "6666"},
		{"SELECT CAST(max(len(ontosql_regexp_matches(s, '.', 'g'))) AS VARCHAR) FROM " + rows, "7"},
		{"SELECT CAST(sum(CAST(ontosql_regexp_match(s, '(x)?a([0-9]+)', '')[2] AS BIGINT)) AS VARCHAR) FROM " + rows, "33326667"},
		{"SELECT CAST(count(ontosql_regexp_match(s, '(x)?a', '')[1]) AS VARCHAR) FROM " + rows, "0"},
		{"SELECT CAST(count(DISTINCT ontosql_format('%s %2$s', [s, CAST(i AS VARCHAR)])) AS VARCHAR) FROM " + rows, "10000"},
		{"SELECT CAST(sum(ontosql_regexp_count(s, '[0-9]', 1, '')) AS VARCHAR) FROM " + rows, "25926"},
	} {
		got := ""
		if err := c.Each(t.Context(), q.sql, nil, func(b *column.Batch, i int) { got = string(b.Cols[0].Str[i]) }); err != nil {
			t.Fatalf("%s: %v", q.sql, err)
		}
		if got != q.want {
			t.Errorf("%s is %s, want %s", q.sql, got, q.want)
		}
	}
	err := c.Exec(t.Context(), "SELECT ontosql_regexp('(', '')")
	if err == nil || !strings.Contains(err.Error(), "[2201B] invalid regular expression") {
		t.Errorf("a bad expression: %v", err)
	}
}

// TestDefine checks that a function defined while the engine is open is visible on every
// connection, and that a second one of the same name replaces it.
func TestDefine(t *testing.T) {
	e, err := Open(t.Context(), Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var conns [2]*Conn
	for i := range conns {
		if conns[i], err = e.Conn(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close()
	}
	for _, word := range []string{"first", "second"} {
		f := pgfunc.Function{Name: "ontosql_test_word", Args: []pgfunc.Kind{pgfunc.Int}, Result: pgfunc.Text, New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (pgfunc.Value, error) {
				return pgfunc.Value{Text: word, Null: args[0].Int < 0}, nil
			}
		}}
		if err := conns[0].Define([]pgfunc.Function{f}); err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		const sql = "SELECT coalesce(ontosql_test_word(i), 'none') FROM range(-10, 5000) t(i)"
		if err := conns[1].Each(t.Context(), sql, nil, func(b *column.Batch, i int) { got[string(b.Cols[0].Str[i])]++ }); err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{word: 5000, "none": 10}; !maps.Equal(got, want) {
			t.Errorf("the function returning %s returned %v, want %v", word, got, want)
		}
	}
}

// TestCancelWithinABatch cancels a statement while a function computes the first row of a
// batch: it must not be called for the others.
func TestCancelWithinABatch(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 1}))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	calls, enough := 0, errors.New("enough")
	f := pgfunc.Function{Name: "ontosql_test_slow", Args: []pgfunc.Kind{pgfunc.Int}, Result: pgfunc.Int, New: func() pgfunc.Call {
		return func(args []pgfunc.Value) (pgfunc.Value, error) {
			calls++
			cancel(enough)
			return args[0], nil
		}
	}}
	if err := c.Define([]pgfunc.Function{f}); err != nil {
		t.Fatal(err)
	}
	_, _, err := query(ctx, c, "SELECT CAST(sum(ontosql_test_slow(i)) AS VARCHAR) FROM range(1000) t(i)")
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("error %v after %d calls, want %v after 1", err, calls, enough)
	}
	if got := mustQuery(t, c, "SELECT CAST(sum(ontosql_test_slow(i)) AS VARCHAR) FROM range(1000) t(i)"); got[0] != "499500" || calls != 1001 {
		t.Errorf("afterwards %v after %d calls, want 499500 after 1001", got, calls)
	}
}

// TestResultsOfABatchAreBounded checks that a function that returns too much text for the rows
// of one batch fails the statement, aggregated or streamed, and that the same for few rows
// succeeds.
func TestResultsOfABatchAreBounded(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2, MemoryLimit: 128 << 20}))
	long := pgfunc.Function{Name: "ontosql_test_long", Args: []pgfunc.Kind{pgfunc.Int}, Result: pgfunc.Text, New: func() pgfunc.Call {
		return func(args []pgfunc.Value) (pgfunc.Value, error) {
			return pgfunc.Value{Text: strings.Repeat("x", int(args[0].Int))}, nil
		}
	}}
	many := pgfunc.Function{Name: "ontosql_test_many", Args: []pgfunc.Kind{pgfunc.Int}, Result: pgfunc.Texts, New: func() pgfunc.Call {
		return func(args []pgfunc.Value) (pgfunc.Value, error) {
			return pgfunc.Value{List: make([]pgfunc.Value, args[0].Int)}, nil
		}
	}}
	if err := c.Define([]pgfunc.Function{long, many}); err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"ontosql_test_long(4000000 + i)", "ontosql_test_long(200000 + i)", "ontosql_test_many(200000 + i)"} {
		for _, sql := range []string{"SELECT CAST(sum(len(" + value + ") > 199999) AS VARCHAR) FROM range(%) t(i)", "SELECT CAST(len(" + value + ") > 199999 AS INTEGER), " + value + " FROM range(%) t(i)"} {
			_, _, err := query(t.Context(), c, strings.Replace(sql, "%", "2048", 1))
			if e := (*Error)(nil); !errors.As(err, &e) {
				t.Errorf("%s for 2048 rows: %v, want an error", sql, err)
			}
		}
		if got := mustQuery(t, c, "SELECT CAST(sum(len("+value+") > 199999) AS VARCHAR) FROM range(3) t(i)"); got[0] != "3" {
			t.Errorf("%s for 3 rows: %v", value, got)
		}
	}
	if err := c.engine.Err(); err != nil {
		t.Errorf("the engine: %v", err)
	}
}

// TestContextOfAnEarlierCall reads a stream whose later rows are being computed when the context of
// the call ends that returned the first ones. They are rows of the next call, which is not cancelled.
func TestContextOfAnEarlierCall(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2}))
	exec(t, c, "CREATE TABLE numbers AS SELECT range AS i FROM range(245760)") // two row groups, one for each thread
	const second = 122_880                                                     // the first row of the other thread
	var reached, ended chan struct{}
	var alone atomic.Bool // the calling thread itself came to second, and did not return before that was computed
	f := pgfunc.Function{Name: "ontosql_test_ahead", Args: []pgfunc.Kind{pgfunc.Int}, Result: pgfunc.Int, New: func() pgfunc.Call {
		return func(args []pgfunc.Value) (pgfunc.Value, error) {
			switch args[0].Int {
			case 0: // the first call returns when the other thread has begun, which it does not do each time
				select {
				case <-reached:
				case <-time.After(time.Second):
				}
			case second:
				close(reached)
				select {
				case <-ended:
				case <-time.After(time.Second):
					alone.Store(true)
				}
			}
			return args[0], nil
		}
	}}
	if err := c.Define([]pgfunc.Function{f}); err != nil {
		t.Fatal(err)
	}
	st, err := c.Prepare(t.Context(), "SELECT ontosql_test_ahead(i) FROM numbers")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for began := false; !began; {
		reached, ended = make(chan struct{}), make(chan struct{})
		alone.Store(false)
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := st.Query(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-reached:
			began = true
		default:
		}
		cancel()
		close(ended)
		n := 0
		if err := rows.Each(t.Context(), func(*column.Batch, int) { n++ }); err != nil || n != 245_760 {
			t.Errorf("%d rows, then %v", n, err)
		}
		began = began && !alone.Load()
	}
}
