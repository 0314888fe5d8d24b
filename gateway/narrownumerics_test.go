//go:build !mirrormode

package gateway_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// samePrices compares the answers of two gateways over one store.
func samePrices(t *testing.T, when string, with, without wire.Session) {
	t.Helper()
	for _, sql := range priceQuestions {
		want, wantErr := ask(t, without, sql)
		got, err := ask(t, with, sql)
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %s: %v, without the mirror %v (-files +mirror):\n%s", when, sql, err, wantErr, diff)
		}
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

// TestNumericsAtTheirDeclaredWidth: where the mirror has seen that all values fit, statements read
// numeric(10,2) as DECIMAL(10,2). A value of another writer that does not fit, in a file that the
// mirror has not seen and then in the mirror, makes the column wide, and answers are the same in
// each state.
func TestNumericsAtTheirDeclaredWidth(t *testing.T) {
	h := newHouse(t, storeOf(t))
	files := openHouse(t, h.bucket, false)
	with, without := h.session(t, "onto"), files.session(t, "onto")
	tagged(t, with, `CREATE TABLE price (id integer PRIMARY KEY, price numeric(10,2), rate numeric(4,3), free numeric)`, "CREATE TABLE")
	tagged(t, with, `INSERT INTO price SELECT n, n * 1.25 - 300, CASE WHEN n % 5 > 0 THEN (n % 9) * 0.125 END, n / 3.0 FROM generate_series(1, 12000) AS g (n)`, "INSERT 0 12000")
	samePrices(t, "before the mirror", with, without)
	h.settle(t, with, "price")
	samePrices(t, "mirrored", with, without)
	if diff := cmp.Diff([]uint8{10, 4, 38}, h.widths(t)); diff != "" {
		t.Fatalf("mirrored, the columns are read with other widths (-want +got):\n%s", diff)
	}
	tagged(t, with, `UPDATE price SET price = -0.005 - price, rate = 9.9995 - 0.5 WHERE id BETWEEN 11990 AND 11995`, "UPDATE 6")
	samePrices(t, "behind", with, without)
	h.settle(t, with, "price")
	samePrices(t, "extended", with, without)
	if diff := cmp.Diff([]uint8{10, 4, 38}, h.widths(t)); diff != "" {
		t.Fatalf("extended, the columns are read with other widths (-want +got):\n%s", diff)
	}

	h.foreignPrice(t, 20001, `,"price":"1.005","rate":"0.125"`)
	samePrices(t, "a finer number, behind", with, without)
	if diff := cmp.Diff([]uint8{38, 4, 38}, h.widths(t)); diff != "" {
		t.Errorf("a finer number, behind: other widths (-want +got):\n%s", diff)
	}
	h.settle(t, with, "price")
	samePrices(t, "a finer number, mirrored", with, without)
	h.foreignPrice(t, 20002, `,"price":"20000.5","rate":"123456.5"`)
	h.foreignPrice(t, 20003, `,"price":"no number","rate":null`)
	h.settle(t, with, "price")
	samePrices(t, "a larger number, mirrored", with, without)
	if diff := cmp.Diff([]uint8{38, 38, 38}, h.widths(t)); diff != "" {
		t.Errorf("a larger number, mirrored: other widths (-want +got):\n%s", diff)
	}

	tagged(t, with, `UPDATE price SET price = 1, rate = 0.5 WHERE id > 20000`, "UPDATE 3")
	tagged(t, with, `ALTER TABLE price ALTER COLUMN price TYPE numeric(12,1), ALTER COLUMN free TYPE numeric(20,4)`, "ALTER TABLE")
	samePrices(t, "other precisions", with, without)
	h.settle(t, with, "price")
	samePrices(t, "other precisions, mirrored", with, without)
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
