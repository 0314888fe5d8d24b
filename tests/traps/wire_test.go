package traps

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

const everyRow = "SELECT id FROM big ORDER BY id"

// wireTraps are those of the protocol.
var wireTraps = []trap{
	{1, "a fetch size does not cut the result off", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, simple("BEGIN"))
		messages := []pgproto3.FrontendMessage{parse("", everyRow), bind("")}
		rows, pages := 0, 0
		for done := false; !done; pages++ {
			got := f.talk(t, append(messages, execute(500), sync)...)
			for _, line := range got {
				switch {
				case strings.HasPrefix(line, "Row "):
					rows++
				case strings.HasPrefix(line, "Complete"):
					done = true
				}
			}
			if messages = nil; pages > 20 {
				t.Fatal("no end")
			}
		}
		if rows != 5000 {
			t.Errorf("%d rows in %d pages, not 5000", rows, pages)
		}
	}},
	{2, "the next Execute goes on where the last one ended, and the portal dies with its transaction", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, simple("BEGIN"))
		got := f.talk(t, parse("", "SELECT id FROM big WHERE id <= 5 ORDER BY id"), bind(""), execute(2), execute(2), sync)
		expect(t, "two pages", got, "ParseComplete", "BindComplete", "Row 1", "Row 2", "PortalSuspended", "Row 3", "Row 4", "PortalSuspended", "Ready T")
		expect(t, "the third, behind Sync", f.talk(t, execute(2), sync), "Row 5", "Complete SELECT 1", "Ready T")
		f.talk(t, parse("", everyRow), bind(""), execute(1), sync)
		f.talk(t, simple("COMMIT"))
		expect(t, "behind COMMIT", f.talk(t, execute(2), sync), "Error 34000", "Ready I")
		got = f.talk(t, parse("", everyRow), bind(""), execute(1), sync, execute(1), sync)
		expect(t, "a transaction of its own ends at Sync", got, "ParseComplete", "BindComplete", "Row 1", "PortalSuspended", "Ready I")
		expect(t, "and its portal", f.until(t, "Ready"), "Error 34000", "Ready I")
	}},
	{3, "the last row still suspends the portal", func(t *testing.T, g *gate) {
		got := g.open(t).talk(t, parse("", "VALUES (1), (2)"), bind(""), execute(1), execute(1), execute(1), sync)
		expect(t, "three pages of one", got, "ParseComplete", "BindComplete", "Row 1", "PortalSuspended", "Row 2", "PortalSuspended", "Complete SELECT 0", "Ready I")
	}},
	{4, "what follows an error is discarded until Sync", func(t *testing.T, g *gate) {
		f := g.open(t)
		got := f.talk(t, parse("", "SELECT 1/0"), bind(""), execute(0), parse("", "INSERT INTO shelf VALUES ('trap 4', 1)"), bind(""), execute(0), describeStatement(""), sync)
		for i, line := range got {
			if strings.HasPrefix(line, "Error") {
				expect(t, "from the error on", got[i:], "Error 22012", "Ready I")
			}
		}
		expect(t, "nothing was written", f.talk(t, simple("SELECT count(*) FROM shelf WHERE name = 'trap 4'")), "Columns count 20/0", "Row 0", "Complete SELECT 1", "Ready I")
	}},
	{5, "RowDescription of a portal tells the formats that Bind asked for", func(t *testing.T, g *gate) {
		b := bind("")
		b.ResultFormatCodes = []int16{1}
		got := g.open(t).talk(t, parse("", "SELECT 1::int4 AS a, interval '1 day' AS b"), b, describePortal(""), execute(0), sync)
		row := "Row \x00\x00\x00\x01|\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00"
		expect(t, "binary", got, "ParseComplete", "BindComplete", "Columns a 23/1, b 1186/1", row, "Complete SELECT 1", "Ready I")
	}},
	{6, "a named statement that is not described brings no RowDescription", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, parse("s", "SELECT 6"), sync)
		for range 6 {
			expect(t, "executed", f.talk(t, bind("s"), execute(0), sync), "BindComplete", "Row 6", "Complete SELECT 1", "Ready I")
		}
	}},
	{7, "a large result has one RowDescription", func(t *testing.T, g *gate) {
		columns := 0
		for _, line := range g.open(t).talk(t, simple("SELECT id, t FROM big")) {
			if strings.HasPrefix(line, "Columns") {
				columns++
			}
		}
		if columns != 1 {
			t.Errorf("%d of them", columns)
		}
	}},
	{8, "Describe does not execute", func(t *testing.T, g *gate) {
		f := g.open(t)
		got := f.talk(t, parse("w", "INSERT INTO shelf VALUES ('trap 8', 1) RETURNING name"), describeStatement("w"), parse("l", "SELECT pg_advisory_lock(8)"), describeStatement("l"), sync)
		expect(t, "described", got, "ParseComplete", "Parameters []", "Columns name 25/0", "ParseComplete", "Parameters []", "Columns pg_advisory_lock 2278/0", "Ready I")
		c := g.connect(t)
		c.want(t, "SELECT count(*) FROM shelf WHERE name = 'trap 8'", "0")
		c.want(t, "SELECT pg_try_advisory_lock(8)", "t")
	}},
	{9, "INSERT, UPDATE and MERGE with RETURNING are described with columns", func(t *testing.T, g *gate) {
		f := g.open(t)
		for _, sql := range []string{"INSERT INTO shelf VALUES ('trap 9', 1) RETURNING name, height", "UPDATE shelf SET height = 9 WHERE name = 'trap 9' RETURNING name, height"} {
			got := f.talk(t, parse("", sql), describeStatement(""), bind(""), execute(0), sync)
			expect(t, sql, got[:4], "ParseComplete", "Parameters []", "Columns name 25/0, height 20/0", "BindComplete")
		}
		got := f.talk(t, parse("", "UPDATE shelf SET height = 9 WHERE name = 'trap 9'"), describeStatement(""), sync)
		expect(t, "without RETURNING", got, "ParseComplete", "Parameters []", "NoData", "Ready I")
	}},
	{10, "a Parse that fails is answered by its error, not by what follows it", func(t *testing.T, g *gate) {
		got := g.open(t).talk(t, parse("", "SELECT * FROM nowhere"), bind(""), execute(0), sync)
		expect(t, "pipeline", got, "Error 42P01", "Ready I")
	}},
	{11, "a statement whose Parse failed is not there, and the session goes on", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, parse("", "SELECT 'before'"), bind(""), execute(0), sync)
		f.talk(t, parse("bad", "SELECT nothing"), sync)
		expect(t, "bind the failed one", f.talk(t, bind("bad"), execute(0), sync), "Error 26000", "Ready I")
		expect(t, "the name is free", f.talk(t, parse("bad", "SELECT 11"), bind("bad"), execute(0), sync), "ParseComplete", "BindComplete", "Row 11", "Complete SELECT 1", "Ready I")
	}},
	{12, "a prepared statement says when its columns have changed", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.do(t, "CREATE TABLE trap12 (id int8 PRIMARY KEY)")
		if _, err := c.Prepare(t.Context(), "s", "SELECT * FROM trap12", nil); err != nil {
			t.Fatal(err)
		}
		g.connect(t).do(t, "ALTER TABLE trap12 ADD COLUMN note text")
		var e *pgconn.PgError
		if err := c.ExecPrepared(t.Context(), "s", nil, nil, nil).Read().Err; !errors.As(err, &e) || e.Code != "0A000" || e.Routine != "RevalidateCachedQuery" || e.Message != "cached plan must not change result type" {
			t.Errorf("got %v, %+v", err, e)
		}
	}},
	{13, "one format code counts for all, none means text", func(t *testing.T, g *gate) {
		f := g.open(t)
		one := bind("", "\x00\x00\x00\x05", "\x00\x00\x00\x07")
		one.ParameterFormatCodes, one.ResultFormatCodes = []int16{1}, []int16{0}
		got := f.talk(t, parse("", "SELECT $1::int4, $2::int4", 23, 23), one, execute(0), sync)
		expect(t, "all binary in, all text out", got, "ParseComplete", "BindComplete", "Row 5|7", "Complete SELECT 1", "Ready I")
		expect(t, "none", f.talk(t, bind("", "5", "7"), describePortal(""), execute(0), sync), "BindComplete", "Columns int4 23/0, int4 23/0", "Row 5|7", "Complete SELECT 1", "Ready I")
		two := bind("", "5", "7")
		two.ResultFormatCodes = []int16{0, 0, 1}
		expect(t, "three for two columns", f.talk(t, two, sync), "Error 08P01", "Ready I")
	}},
	{14, "types that are 0 are inferred, those that are told stay", func(t *testing.T, g *gate) {
		f := g.open(t)
		got := f.talk(t, parse("", "SELECT sku, $2 FROM item WHERE sku = $1 AND (title = $3 OR $3 IS NULL)", 23, 25, 0), describeStatement(""), sync)
		expect(t, "mixed", got, "ParseComplete", "Parameters [23 25 25]", "Columns sku 20/0, ?column? 25/0", "Ready I")
		b := bind("", "\x00\x00\x00\x02", "x")
		b.ParameterFormatCodes, b.Parameters = []int16{1, 0, 0}, append(b.Parameters, nil)
		expect(t, "int4 for a bigint beside NULL", f.talk(t, b, execute(0), sync), "BindComplete", "Row 2|x", "Complete SELECT 1", "Ready I")
	}},
	{15, "no parameter is left without a type", func(t *testing.T, g *gate) {
		f := g.open(t)
		for sql, want := range map[string]string{
			"SELECT $1 + 1": "Parameters [23]", "SELECT coalesce($1, 'x')": "Parameters [25]", "SELECT sku FROM item WHERE sku = ANY($1)": "Parameters [1016]",
			"SELECT upper($1), length($2)": "Parameters [25 25]", "SELECT coalesce($1, sku) FROM item": "Parameters [20]",
			"SELECT $1 || 'x', $2 LIKE 'a%', $3": "Parameters [25 25 25]", "SELECT 1 FROM item LIMIT $1 OFFSET $2": "Parameters [20 20]",
			"INSERT INTO item (sku, title, added) VALUES ($1, $2, $3)": "Parameters [20 25 1184]", "SELECT CASE WHEN $1 THEN $2 ELSE 1.5 END": "Parameters [16 1700]",
		} {
			expect(t, sql, f.talk(t, parse("", sql), describeStatement(""), sync)[:2], "ParseComplete", want)
		}
	}},
	{16, "parameters may stand in any order, in subqueries, and unused", func(t *testing.T, g *gate) {
		c := g.connect(t)
		if got := c.query(t, "SELECT $3::text, (SELECT $1::int8 + $2::int8 FROM (SELECT $2) q), $1::int8", nil, 10, 2, "c"); got != "c|12|10" {
			t.Error(got)
		}
		if got := c.query(t, "SELECT $2::int8 FROM item WHERE sku = $2", []uint32{25, 20}, "unused", 1); got != "1" {
			t.Error(got)
		}
		if got := c.query(t, "SELECT $2::int8", nil, "of no type", 1); got != "42P18 could not determine data type of parameter $1" {
			t.Error(got)
		}
	}},
	{17, "a second execution takes its own values", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, parse("s", "SELECT title FROM item WHERE sku = $1 AND $2 <> 'x'"), sync)
		for arg, want := range map[string]string{"1": "Row Anvil", "2": "Row Bolt"} {
			expect(t, arg, f.talk(t, bind("s", arg, "y"), execute(0), sync)[:2], "BindComplete", want)
		}
		expect(t, "nothing", f.talk(t, bind("s", "1", "x"), execute(0), sync), "BindComplete", "Complete SELECT 0", "Ready I")
	}},
	{18, "an empty string, a comment and a semicolon are an empty query in both protocols", func(t *testing.T, g *gate) {
		f := g.open(t)
		for _, sql := range []string{"", ";", "-- ping", " /* x */ ;"} {
			expect(t, "simple "+sql, f.talk(t, simple(sql)), "EmptyQueryResponse", "Ready I")
			got := f.talk(t, parse("", sql), describeStatement(""), bind(""), describePortal(""), execute(0), sync)
			expect(t, "extended "+sql, got, "ParseComplete", "Parameters []", "NoData", "BindComplete", "NoData", "EmptyQueryResponse", "Ready I")
		}
	}},
	{19, "a statement outlives Sync", func(t *testing.T, g *gate) {
		f := g.open(t)
		for _, name := range []string{"", "s"} {
			f.talk(t, parse(name, "SELECT 19"), sync)
			f.talk(t, describeStatement(name), sync)
			f.talk(t, sync)
			expect(t, "bound behind three of them", f.talk(t, bind(name), execute(0), sync), "BindComplete", "Row 19", "Complete SELECT 1", "Ready I")
		}
	}},
	{20, "a declared cursor stands in pg_cursors and can be described as a portal", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, simple("BEGIN; DECLARE named CURSOR FOR SELECT sku, title FROM item"))
		expect(t, "pg_cursors", f.talk(t, simple("SELECT 1 FROM pg_catalog.pg_cursors WHERE name = 'named'")), "Columns ?column? 23/0", "Row 1", "Complete SELECT 1", "Ready T")
		expect(t, "Describe", f.talk(t, describePortal("named"), sync), "Columns sku 20/0, title 25/0", "Ready T")
		expect(t, "another name", f.talk(t, describePortal("other"), sync), "Error 34000", "Ready E")
	}},
	{21, "a cursor WITH HOLD, with a quoted name, in one string with its FETCH", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, `BEGIN;declare "SQL_CUR0x7fd8" cursor with hold for SELECT "sku" FROM "item" ORDER BY 1;fetch 1 in "SQL_CUR0x7fd8"`, "1")
		c.want(t, `COMMIT; FETCH 10 IN "SQL_CUR0x7fd8"`, "2")
		c.want(t, `close "SQL_CUR0x7fd8"`, "")
		c.wantCode(t, `FETCH "SQL_CUR0x7fd8"`, "34000")
	}},
	{22, "COMMIT while a cursor and a portal are open", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, simple("BEGIN; DECLARE c CURSOR FOR SELECT a.id FROM big a, big b; FETCH 3 FROM c"))
		f.talk(t, parse("", everyRow), bind(""), execute(10), sync)
		expect(t, "COMMIT", f.talk(t, simple("COMMIT")), "Complete COMMIT", "Ready I")
		expect(t, "and on", f.talk(t, simple("SELECT 22")), "Columns ?column? 23/0", "Row 22", "Complete SELECT 1", "Ready I")
	}},
	{23, "a cancel request amid the rows ends in 57014", func(t *testing.T, g *gate) {
		c := g.connect(t)
		rows := c.Exec(t.Context(), "SELECT a.id FROM big a, big b, big c")
		if !rows.NextResult() || !rows.ResultReader().NextRow() {
			t.Fatal("no row")
		}
		if err := c.CancelRequest(t.Context()); err != nil {
			t.Fatal(err)
		}
		var e *pgconn.PgError
		if err := rows.Close(); !errors.As(err, &e) || e.Code != "57014" {
			t.Errorf("got %v", err)
		}
		c.want(t, "SELECT 23", "23")
	}},
	{24, "a cancel request with another gateway's key does nothing", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, simple("BEGIN"))
		for _, key := range []pgproto3.CancelRequest{{ProcessID: f.key.ProcessID, SecretKey: []byte{1, 2, 3, 4}}, {ProcessID: 4_000_000_000, SecretKey: f.key.SecretKey}} {
			other := g.dial(t)
			other.Send(&key)
			if err := other.Flush(); err != nil {
				t.Fatal(err)
			}
			if n, err := other.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Errorf("answered %d bytes, %v", n, err)
			}
		}
		expect(t, "the session goes on", f.talk(t, simple("SELECT count(*) FROM item")), "Columns count 20/0", "Row 2", "Complete SELECT 1", "Ready T")
	}},
	{25, "what comes to the port and is no PostgreSQL client", func(t *testing.T, g *gate) {
		for _, junk := range []string{
			"", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01", "\xff\xff\xff\xff", "\x00\x00\x00\x00", "\x7f\xff\xff\xff\x00\x03\x00\x00user",
			"\x00\x00\x00\x10\x00\x03\x00\x00user\x00xxx", "\x00\x00\x00\x08\x00\x02\x00\x00", strings.Repeat("\x00", 64),
		} {
			f := g.dial(t)
			if _, err := f.Write([]byte(junk)); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		g.connect(t).want(t, "SELECT 25", "25")
	}},
	{26, "lengths and counts that lie are 08P01", func(t *testing.T, g *gate) {
		for name, body := range map[string][]byte{
			"a value longer than the message": {0, 0, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff},
			"a negative length":               {0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe},
			"65,535 parameters without one":   {0, 0, 0, 0, 0xff, 0xff},
			"format codes beyond the end":     {0, 0, 0x7f, 0xff},
			"no end of the name":              {'x'},
		} {
			f := g.open(t)
			f.talk(t, parse("", "SELECT $1::text"), sync)
			message := append(binary.BigEndian.AppendUint32([]byte{'B'}, uint32(4+len(body))), body...)
			if _, err := f.Write(message); err != nil {
				t.Fatal(err)
			}
			f.Send(sync)
			if got := f.until(t, "Error"); got[len(got)-1] != "Error 08P01" {
				t.Errorf("%s: %q", name, got)
			}
		}
		g.connect(t).want(t, "SELECT 26", "26")
	}},
	{27, "GSSENCRequest, then SSLRequest, then in clear, on one connection", func(t *testing.T, g *gate) {
		f := g.dial(t)
		for _, m := range []pgproto3.FrontendMessage{&pgproto3.GSSEncRequest{}, &pgproto3.SSLRequest{}} {
			f.Send(m)
			if err := f.Flush(); err != nil {
				t.Fatal(err)
			}
			answer := make([]byte, 1)
			if _, err := f.Read(answer); err != nil || answer[0] != 'N' {
				t.Fatalf("%T: %q, %v", m, answer, err)
			}
		}
		f.login(t)
		expect(t, "logged in", f.talk(t, simple("SELECT 27")), "Columns ?column? 23/0", "Row 27", "Complete SELECT 1", "Ready I")
	}},
	{28, "the query of a client that is gone ends", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.Send(simple("SELECT count(*) FROM big a, big b, big c, big d WHERE a.t <> b.t || c.t || d.t /* trap 28 */"))
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		c := g.connect(t)
		running := "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%trap 28%' AND state = 'active' AND pid <> pg_backend_pid()"
		c.waitFor(t, running, "1")
		f.Close()
		c.waitFor(t, running, "0")
	}},
	{29, "BEGIN within other text sets the status", func(t *testing.T, g *gate) {
		for _, sql := range []string{"BEGIN; SELECT 1", "/* pool */ begin -- now", "SELECT 1;START TRANSACTION;", "bEgIn work"} {
			if got := g.open(t).talk(t, simple(sql)); got[len(got)-1] != "Ready T" {
				t.Errorf("%s: %q", sql, got)
			}
		}
		f := g.open(t)
		got := f.talk(t, parse("", "BEGIN"), bind(""), execute(0), parse("", "SELECT 1"), bind(""), execute(0), sync)
		expect(t, "extended", got, "ParseComplete", "BindComplete", "Complete BEGIN", "ParseComplete", "BindComplete", "Row 1", "Complete SELECT 1", "Ready T")
		expect(t, "and its end", f.talk(t, simple("SELECT 1; COMMIT")), "Columns ?column? 23/0", "Row 1", "Complete SELECT 1", "Complete COMMIT", "Ready I")
	}},
	{30, "any error fails the transaction, one of a name too", func(t *testing.T, g *gate) {
		f := g.open(t)
		f.talk(t, simple("BEGIN; INSERT INTO shelf VALUES ('trap 30', 1)"))
		expect(t, "an unknown table", f.talk(t, simple("SELECT * FROM nowhere")), "Error 42P01", "Ready E")
		expect(t, "then", f.talk(t, simple("INSERT INTO shelf VALUES ('trap 30b', 1)")), "Error 25P02", "Ready E")
		expect(t, "COMMIT", f.talk(t, simple("COMMIT")), "Complete ROLLBACK", "Ready I")
		g.connect(t).want(t, "SELECT count(*) FROM shelf WHERE name LIKE 'trap 30%'", "0")
	}},
	{31, "no row is lost between batches", func(t *testing.T, g *gate) {
		rows := strings.Split(g.connect(t).asked(t, "SELECT id, t FROM big ORDER BY id"), "\n")
		for i, row := range rows {
			if want := fmt.Sprintf("%d|row %d", i+1, i+1); row != want {
				t.Fatalf("row %d is %q", i+1, row)
			}
		}
		if len(rows) != 5000 {
			t.Errorf("%d rows", len(rows))
		}
	}},
}

// waitFor asks until the answer is the wanted one.
func (s *session) waitFor(t *testing.T, sql, answer string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		got := s.asked(t, sql)
		if got == answer {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: still %q", sql, got)
		}
	}
}
