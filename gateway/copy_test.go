package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// copier is a session whose client has data for COPY FROM STDIN.
type copier struct {
	wire.Session
	data io.Reader
	// before is called before each piece of data is given.
	before  func(ctx context.Context) error
	notices []string
}

func (h *house) copier(t testing.TB) *copier {
	t.Helper()
	c := &copier{}
	var err error
	c.Session, _, err = h.gateway.Open(t.Context(), wire.Startup{
		User: "tester", Database: "onto", PID: 8,
		Ending: func() bool { return h.ending },
		Notice: func(e *pgerr.Error) { c.notices = append(c.notices, e.Message+" "+e.Detail) },
		CopyIn: func(form wire.Copy) *wire.CopyReader { return wire.NewCopyReader(form, c.piece) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func (c *copier) piece(ctx context.Context) ([]byte, error) {
	if c.before != nil {
		if err := c.before(ctx); err != nil {
			return nil, err
		}
	}
	piece := make([]byte, 8192)
	n, err := c.data.Read(piece)
	return piece[:n], err
}

// load runs a COPY FROM STDIN and returns its tag.
func (c *copier) load(t testing.TB, sql string, data io.Reader) (tag string, err error) {
	t.Helper()
	ctx := t.Context()
	c.data = data
	st, err := c.Prepare(ctx, wire.Query{SQL: sql}, nil)
	if err != nil {
		return "", errors.Join(err, c.Sync(ctx, true))
	}
	defer st.Close()
	p, err := st.Bind(ctx, nil)
	if err != nil {
		return "", errors.Join(err, c.Sync(ctx, true))
	}
	defer p.Close()
	_, err = drain(ctx, p)
	tag, _ = p.Tag()
	return tag, errors.Join(err, c.Sync(ctx, err != nil))
}

// TestCopyReadsEveryType loads a row of each type of column, in the usual spelling
// and in others, and finds what an INSERT of the same texts stores.
func TestCopyReadsEveryType(t *testing.T) {
	h := newHouse(t, shop(t))
	c := h.copier(t)
	must(t, c, "SET TimeZone = 'America/New_York'")
	columns := strings.Split("sku title price weight sold added day code raw tags", " ")
	rows := []string{
		`1|one|1.25|1.5|t|2024-02-29 12:00:00|2024-02-29|01234567-89ab-cdef-0123-456789abcdef|\x00ff|{"b":1,"a":[1,2.5,null]}`,
		`-2|two|-0.000000000001|-1e300|false|2024-07-01T12:00:00.123456Z|0001-01-01|{0123456789ABCDEF0123456789abcdef}|abc|"x"`,
		`+3| three |12345678901234567890123456.123456789012|inf|yes|2024-03-10 02:30|Jan 5, 2024|NULL|\x|[]`,
		`9223372036854775807|four|1e3|NaN|0|2024-11-03 01:30:00|20240105|NULL|\x0A|0`,
		`-9223372036854775808|five|.5|-0|1|2024-06-01 24:00:00|9999-12-31|NULL|\\\001|true`,
		` 6 |six|00012.340|  3.25 |on|2024-06-01 10:00:00.1234567+05:30|2024/1/5|NULL|NULL|NULL`,
		`7|seven|NULL|NULL|NULL|2024-06-01 10:00 Europe/Berlin|NULL|NULL|NULL|{"\\u0041":"\\\\u0000"}`,
		`8|eight|0|1e-300|off|2024-06-01|NULL|NULL|NULL|NULL`,
		`9|nine|12345678901234567890123456.1234567890125|0|f|1970-01-01 00:00:00-00|1970-01-01|NULL|NULL|NULL`,
		`10|ten|-12345678901234567890123456.1234567890125|5e-324|f|1969-12-31 23:59:59.999999Z|1969-12-31|NULL|NULL|NULL`,
	}
	var data strings.Builder
	for _, row := range rows {
		fields := strings.Split(row, "|")
		args := make([]string, 0, len(fields))
		var places []string
		for k, f := range fields {
			if f == "NULL" {
				places = append(places, "NULL")
				continue
			}
			args = append(args, f)
			oid := map[int]string{0: "bigint", 2: "numeric", 3: "float8", 4: "bool", 5: "timestamptz", 6: "date", 7: "uuid", 8: "bytea", 9: "jsonb"}[k]
			if oid == "" {
				oid = "text"
			}
			places = append(places, fmt.Sprintf("$%d::%s", len(args), oid))
		}
		must(t, c, "INSERT INTO item ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(places, ", ")+")", args...)
		for k, f := range fields {
			if k > 0 {
				data.WriteByte('|')
			}
			data.WriteString(strings.ReplaceAll(f, `\`, `\\`))
		}
		data.WriteByte('\n')
	}
	other := newHouse(t, shop(t))
	d := other.copier(t)
	must(t, d, "SET TimeZone = 'America/New_York'")
	tag, err := d.load(t, "COPY item ("+strings.Join(columns, ", ")+") FROM STDIN (DELIMITER '|', NULL 'NULL')", strings.NewReader(data.String()))
	if err != nil || tag != fmt.Sprintf("COPY %d", len(rows)) {
		t.Fatalf("the COPY said %q, %v", tag, err)
	}
	const stored = "SELECT sku, fields_json FROM item ORDER BY sku"
	if diff := cmp.Diff(must(t, c, stored), must(t, d, stored)); diff != "" {
		t.Errorf("stored (-by INSERT +by COPY):\n%s", diff)
	}
}

// TestCopyIsOneCommit sees nothing of a COPY that ends in an error, or whose
// client goes, and all of one that does not as one commit.
func TestCopyIsOneCommit(t *testing.T) {
	for _, ending := range []bool{false, true} {
		h := newHouse(t, shop(t))
		h.ending = ending
		c := h.copier(t)
		head := must(t, c, "SELECT max(commit_id) FROM ontosql.commits")[0]
		var data bytes.Buffer
		for i := range 100_000 {
			fmt.Fprintf(&data, "shelf %d\t%d\n", i, i)
		}
		whole := data.String()
		for name, read := range map[string]io.Reader{
			"a bad row":       strings.NewReader(whole + "last\tten\n"),
			"a client gone":   io.MultiReader(strings.NewReader(whole), failing{wire.ErrClientGone}),
			"a duplicate":     strings.NewReader(whole + "shelf 17\t1\n"),
			"a failed client": io.MultiReader(strings.NewReader(whole), failing{pgerr.New(pgerr.QueryCanceled, "COPY from stdin failed: no")}),
		} {
			if _, err := c.load(t, "COPY shelf FROM STDIN", read); err == nil {
				t.Errorf("%s: the COPY said nothing", name)
			}
		}
		if n := must(t, c, "SELECT count(*) FROM shelf")[0]; n != "0" {
			t.Errorf("failed COPYs left %s rows", n)
		}
		if tag, err := c.load(t, "COPY shelf FROM STDIN", strings.NewReader(whole)); err != nil || tag != "COPY 100000" {
			var e *pgerr.Error
			errors.As(err, &e)
			t.Fatalf("the COPY said %q, %v, %v", tag, err, e.Unwrap())
		}
		got := must(t, c, "SELECT commit_id > $1, row_count FROM ontosql.commits ORDER BY commit_id DESC LIMIT 2", head)
		if diff := cmp.Diff([]string{"true|100000", "false|0"}, got); diff != "" {
			t.Errorf("commits (-want +got):\n%s", diff)
		}
	}
}

// failing is where the data of a client ends.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestCopyNamesTheLine finds the line of a row whose key exists, where csv spreads
// rows over lines.
func TestCopyNamesTheLine(t *testing.T) {
	c := newHouse(t, shop(t)).copier(t)
	must(t, c, "INSERT INTO shelf VALUES ('taken', 1)")
	_, err := c.load(t, "COPY shelf FROM STDIN (FORMAT csv, HEADER)", strings.NewReader("name,height\n\"a\nb\",1\nc,1\n\"d\n\ne\",2\ntaken,3\nf,4\n"))
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.UniqueViolation || e.Where != "COPY shelf, line 8" {
		t.Errorf("a key that is taken: %v; %+v", err, e)
	}
}

// TestCopyIsCancelled ends a COPY whose client is slow: by statement_timeout, and
// by a cancel.
func TestCopyIsCancelled(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, shop(t))
	c := h.copier(t)
	c.before = func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	must(t, c, "SET statement_timeout = 20")
	_, err := c.load(t, "COPY shelf FROM STDIN", strings.NewReader("a\t1\n"))
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.QueryCanceled || e.Message != "canceling statement due to statement timeout" {
		t.Errorf("a client that sends nothing: %v", err)
	}
	c.before = func(context.Context) error { return wire.ErrCancelRequest }
	must(t, c, "RESET statement_timeout")
	_, err = c.load(t, "COPY shelf FROM STDIN", strings.NewReader("a\t1\n"))
	if !errors.As(err, &e) || e.Code != pgerr.QueryCanceled || e.Message != "canceling statement due to user request" {
		t.Errorf("a cancelled COPY: %v", err)
	}
}
