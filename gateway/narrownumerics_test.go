//go:build !mirrormode

package gateway_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// priceQuestions compute with numerics that are declared, and show them.
var priceQuestions = []string{
	"SELECT id, price, rate, free FROM price ORDER BY id DESC LIMIT 12",
	"SELECT count(*), sum(price), avg(price), min(price), max(price), sum(rate), sum(free) FROM price",
	"SELECT rate, count(*), sum(price * (1 - rate) * (1 + rate)) FROM price GROUP BY rate ORDER BY rate",
	"SELECT sum(price * price * price), max(-price), min(abs(rate)), sum(price / 3), sum(price % 7) FROM price WHERE price < 1000",
	"SELECT id, price * rate, price + rate, price - free, round(price, 1), price::text FROM price WHERE id IN (7, 20001, 20002, 20003) ORDER BY id",
	"SELECT count(*) FROM price WHERE price = 1.005 OR price = 20000.5 OR rate IN (0.125, 0.1)",
	"SELECT a.id FROM price a JOIN price b ON a.price = b.rate WHERE a.id < 500 ORDER BY 1 LIMIT 5",
	"SELECT count(*), sum(price), max(rate) FROM history.price",
	"SELECT id, price, commit_id FROM changes.price WHERE id > 11990 ORDER BY id, commit_id",
	"SELECT price, rate FROM price WHERE id = 11",
	"WITH w AS (SELECT price AS p, rate FROM price WHERE id % 1000 = 3) SELECT p, rate, p * rate FROM w UNION ALL SELECT free, free, 1.50 FROM price WHERE id = 5 ORDER BY 1, 2, 3",
}

// prices are gateways over one store.
type prices struct {
	mirrored, files, wide    *house // wide reads files, and declared numerics as wide as others
	overMirror, over, widely wire.Session
}

func openPrices(t *testing.T) *prices {
	p := &prices{mirrored: newHouse(t, storeOf(t))}
	p.files, p.wide = openHouse(t, p.mirrored.bucket, false), openHouse(t, p.mirrored.bucket, false)
	p.overMirror, p.over, p.widely = p.mirrored.session(t, "onto"), p.files.session(t, "onto"), p.wide.session(t, "onto")
	return p
}

// same compares the answers of the three.
func (p *prices) same(t *testing.T, when string, questions ...string) {
	t.Helper()
	if len(questions) == 0 {
		questions = priceQuestions
	}
	for _, sql := range questions {
		p.wide.widen(t)
		want, wantErr := ask(t, p.widely, sql)
		for name, s := range map[string]wire.Session{"with the mirror": p.overMirror, "from files": p.over} {
			got, err := ask(t, s, sql)
			if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s: %s: %s %v, with wide numerics %v (-wide +got):\n%s", when, sql, name, err, wantErr, diff)
			}
		}
	}
	for _, width := range p.wide.widths(t) {
		if width != 38 {
			t.Fatalf("%s: the gateway whose numerics are wide reads numerics of %d digits", when, width)
		}
	}
}

// widen has all numerics of the type price read as if a value did not fit.
func (h *house) widen(t *testing.T) {
	t.Helper()
	if _, err := ask(t, h.session(t, "onto"), "SELECT count(*) FROM price"); err != nil { // pins the newest catalog
		t.Fatal(err)
	}
	typ, _ := h.db.LastPin().Catalog.Lookup("price")
	for _, c := range typ.Columns {
		if misfit, ok := scan.Misfit(c); ok {
			h.db.Widen(typ, misfit)
		}
	}
}

// wantWidths checks the precisions by which statements read the columns price, rate and free.
func (h *house) wantWidths(t *testing.T, when string, want ...uint8) {
	t.Helper()
	if diff := cmp.Diff(want, h.widths(t)); diff != "" {
		t.Errorf("%s: the columns are read with other widths (-want +got):\n%s", when, diff)
	}
}

// widths are the precisions by which statements read the columns price, rate and free.
func (h *house) widths(t *testing.T) (out []uint8) {
	t.Helper()
	typ, _ := h.db.LastPin().Catalog.Lookup("price")
	narrow := h.db.DeclaredNumerics(typ)
	for _, name := range []string{"price", "rate", "free"} {
		out = append(out, narrow.Columns[narrow.ColumnIndex(name)].Type.Width)
	}
	return out
}

// foreignPrice commits a row as another program does, which knows no declared precision.
func (h *house) foreignPrice(t *testing.T, id int, fields string) {
	t.Helper()
	pin := h.db.LastPin()
	typ, _ := pin.Catalog.Lookup("price")
	version := typ.Versions[len(typ.Versions)-1]
	schema, err := version.Schema(typ.Ref)
	if err != nil {
		t.Fatal(err)
	}
	c := writepath.Open(writepath.Options{Bucket: h.bucket, RuntimeID: "another"})
	rows := func(yield func(writepath.Row, error) bool) {
		yield(writepath.Row{Row: format.Row{Key: fmt.Sprint(id), Fields: fmt.Appendf(nil, `{"free":"1e3","id":%d%s}`, id, fields)}}, nil)
	}
	_, err = c.Commit(t.Context(), writepath.Tx{Pin: pin.Head.Commit, Data: []writepath.Data{{Type: typ.Ref, Fields: format.DataFields(schema.Fields), SchemaVersion: version.ID, Rows: rows}}})
	if err := errors.Join(err, c.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// TestNumericsAtTheirDeclaredWidth: where the mirror or the files have told that all values fit,
// statements read numeric(10,2) as DECIMAL(10,2). A value of another writer that does not fit, in a file that
// the mirror has not seen and then in the mirror, makes the column wide, and answers are the same in
// each state.
func TestNumericsAtTheirDeclaredWidth(t *testing.T) {
	p := openPrices(t)
	h, with := p.mirrored, p.overMirror
	tagged(t, with, `CREATE TABLE price (id integer PRIMARY KEY, price numeric(10,2), rate numeric(4,3), free numeric)`, "CREATE TABLE")
	tagged(t, with, `INSERT INTO price SELECT n, n * 1.25 - 300, CASE WHEN n % 5 > 0 THEN (n % 9) * 0.125 END, n / 3.0 FROM generate_series(1, 12000) AS g (n)`, "INSERT 0 12000")
	p.same(t, "before the mirror")
	p.files.wantWidths(t, "from files", 10, 4, 38)
	h.settle(t, with, "price")
	p.same(t, "mirrored")
	h.wantWidths(t, "mirrored", 10, 4, 38)
	tagged(t, with, `UPDATE price SET price = -0.005 - price, rate = 9.9995 - 0.5 WHERE id BETWEEN 11990 AND 11995`, "UPDATE 6")
	p.same(t, "behind")
	h.settle(t, with, "price")
	p.same(t, "extended")
	h.wantWidths(t, "extended", 10, 4, 38)
	p.files.wantWidths(t, "from files with another commit", 10, 4, 38)

	h.foreignPrice(t, 20001, `,"price":"1.005","rate":"0.125"`)
	p.same(t, "a finer number, behind")
	h.wantWidths(t, "a finer number, behind", 38, 4, 38)
	p.files.wantWidths(t, "a finer number, from files", 38, 4, 38)
	h.settle(t, with, "price")
	p.same(t, "a finer number, mirrored")
	h.foreignPrice(t, 20002, `,"price":"20000.5","rate":"123456.5"`)
	h.foreignPrice(t, 20003, `,"price":"no number","rate":null`)
	h.settle(t, with, "price")
	p.same(t, "a larger number, mirrored")
	h.wantWidths(t, "a larger number, mirrored", 38, 38, 38)
	p.files.wantWidths(t, "a larger number, from files", 38, 38, 38)

	tagged(t, with, `UPDATE price SET price = 1, rate = 0.5 WHERE id > 20000`, "UPDATE 3")
	tagged(t, with, `ALTER TABLE price ALTER COLUMN price TYPE numeric(12,1), ALTER COLUMN free TYPE numeric(20,4)`, "ALTER TABLE")
	p.same(t, "other precisions")
	p.files.wantWidths(t, "other precisions: earlier versions have more digits", 38, 38, 38)
	h.settle(t, with, "price")
	p.same(t, "other precisions, mirrored")
}

// TestNumericsOfFilesWrittenUnderAnotherDeclaration: a native column of fewer digits is read with those of
// today, and so is a file without any.
func TestNumericsOfFilesWrittenUnderAnotherDeclaration(t *testing.T) {
	p := openPrices(t)
	tagged(t, p.overMirror, `CREATE TABLE price (id integer PRIMARY KEY, price numeric(6,2), rate numeric(3,2), free numeric)`, "CREATE TABLE")
	tagged(t, p.overMirror, `INSERT INTO price SELECT n, n % 1000 * 1.25 - 300, CASE WHEN n % 5 > 0 THEN (n % 9) * 0.25 END, n / 3.0 FROM generate_series(1, 12000) AS g (n)`, "INSERT 0 12000")
	tagged(t, p.overMirror, `ALTER TABLE price ALTER COLUMN price TYPE numeric(9,3), ALTER COLUMN rate TYPE numeric(4,3)`, "ALTER TABLE")
	tagged(t, p.overMirror, `UPDATE price SET price = 999999.999, rate = 1.125 WHERE id = 11`, "UPDATE 1")
	p.same(t, "declared with more digits")
	p.files.wantWidths(t, "declared with more digits", 9, 4, 38)
	p.mirrored.foreignPrice(t, 20001, `,"price":"-1.005","rate":"0.125"`)
	p.mirrored.foreignPrice(t, 20002, ``)
	p.same(t, "with files of another program")
	p.files.wantWidths(t, "with files of another program", 9, 4, 38)
}

// TestNumericsThatDoNotFitAtFirst: a statement that cannot be planned a second time meets a value that does
// not fit as the first of its gateway.
func TestNumericsThatDoNotFitAtFirst(t *testing.T) {
	p := openPrices(t)
	tagged(t, p.overMirror, `CREATE TABLE price (id integer PRIMARY KEY, price numeric(10,2), rate numeric(4,3), free numeric)`, "CREATE TABLE")
	tagged(t, p.overMirror, `INSERT INTO price VALUES (1, 1.25, 0.5, 3)`, "INSERT 0 1")
	p.mirrored.foreignPrice(t, 2, `,"price":"1.005","rate":"0.125"`)
	tagged(t, p.over, `CREATE TEMP TABLE copied AS SELECT id, price, rate FROM price`, "SELECT 2")
	p.same(t, "afterwards", "SELECT id, price, rate FROM price ORDER BY id")
	answers(t, p.over, "SELECT string_agg(id || ':' || price, ' ' ORDER BY id) FROM copied", "1:1.25 2:1.01")
	p.files.wantWidths(t, "afterwards", 38, 4, 38)
}

// TestExplainOfNumericsPlannedAgain: EXPLAIN ANALYZE as the first statement of a gateway runs the plan that the
// statement itself would have.
func TestExplainOfNumericsPlannedAgain(t *testing.T) {
	p := openPrices(t)
	tagged(t, p.overMirror, `CREATE TABLE price (id integer PRIMARY KEY, price numeric(10,2), rate numeric(4,3), free numeric)`, "CREATE TABLE")
	tagged(t, p.overMirror, `INSERT INTO price SELECT n, n * 1.25, 0.5, n FROM generate_series(1, 3000) AS g (n)`, "INSERT 0 3000")
	must(t, p.over, "EXPLAIN (ANALYZE, VERBOSE) SELECT sum(price * rate) FROM price")
	p.files.wantWidths(t, "explained", 10, 4, 38)
	p.mirrored.foreignPrice(t, 20001, `,"price":"1.005","rate":"0.125"`)
	must(t, p.over, "EXPLAIN (ANALYZE, VERBOSE) SELECT sum(price * rate) FROM price")
	p.files.wantWidths(t, "explained with a finer number", 38, 4, 38)
}

// TestProductsOfGroups: what is computed of a group is computed while rows are sent already. The
// product that does not fit into 64 bits is among the last of many.
func TestProductsOfGroups(t *testing.T) {
	s := newHouse(t, storeOf(t)).session(t, "onto")
	tagged(t, s, "CREATE TEMP TABLE o AS SELECT n, CASE n WHEN 999999 THEN 9999999999999.99 ELSE n END::numeric(15,2) AS a FROM generate_series(1, 1000000) AS g (n)", "SELECT 1000000")
	for _, order := range []string{"", " ORDER BY n"} {
		rows, err := ask(t, s, "SELECT n, a * a FROM o GROUP BY n, a"+order)
		if err != nil || len(rows) != 1000000 {
			t.Errorf("%q: %d rows and %v, want 1000000", order, len(rows), err)
		}
	}
}
