package faults

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// newItems is a store with a type that has a field of every kind, and a relation
// from customers to its items.
func newItems(t *testing.T) *store {
	t.Helper()
	s := newStore(t, 3)
	key := format.NewField("sku", format.FieldInt, false)
	key.PrimaryKey = true
	item := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}
	var err error
	s.head, err = s.publisher.Register(t.Context(), time.Time{}, []format.Schema{
		{Ref: item, Fields: []format.SchemaField{
			key, format.NewField("title", format.FieldStr, true), format.NewField("price", format.FieldDecimal, true),
			format.NewField("weight", format.FieldFloat, true), format.NewField("count", format.FieldInt, true),
			format.NewField("raw", format.FieldBytes, true), format.NewField("tags", format.FieldJSON, true),
		}},
		{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Holds"}, Left: "Customer", Right: "Item"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWriteBadValues inserts values that cannot be stored, as literals and as parameters. Each
// is refused with PostgreSQL's message, and none of them moves the head.
func TestWriteBadValues(t *testing.T) {
	t.Parallel()
	s := newItems(t)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
	c := g.connect(t, "onto")
	before := objectsOf(t, s.dir)
	big := strings.Repeat("x", 100_000_000)
	eight := func(f float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(f)) }
	for i, test := range []struct {
		name, column string
		literal      string // SQL; "" where there is only a parameter
		param        []byte // nil where there is only a literal
		binary       bool
		code         string
	}{
		{"NaN of numeric", "price", `'NaN'`, []byte("NaN"), false, "22003"},
		{"infinity of numeric", "price", `'Infinity'`, []byte("-Infinity"), false, "22003"},
		{"NaN of jsonb", "tags", `'NaN'`, []byte("NaN"), false, "22P02"},
		{"NaN within jsonb", "tags", `'[NaN]'`, []byte(`{"a":Infinity}`), false, "22P02"},
		{"NaN of bigint", "count", `'NaN'`, []byte("NaN"), false, "22P02"},
		{"double precision beyond its range", "weight", `'1e400'`, []byte("1e400"), false, "22003"},
		{"NaN cast to bigint", "count", `'NaN'::float8`, nil, false, "22003"},

		{"NUL in a text", "title", `E'a\000b'`, []byte("a\x00b"), false, "22021"},
		{"NUL as a Unicode escape", "title", `E'a\u0000b'`, nil, false, "42601"},
		{"chr(0)", "title", `chr(0)`, nil, false, "54000"},
		{"NUL in jsonb", "tags", `'["\u0000"]'`, []byte(`{"\u0000":1}`), false, "22P05"},
		{"NUL byte in jsonb", "tags", ``, []byte("[\"\x00\"]"), false, "22021"},
		{"lone surrogate", "title", `E'\ud800'`, nil, false, "42601"},
		{"lone surrogate of U&", "title", `U&'\dc00'`, nil, false, "42601"},
		{"lone surrogate in UTF-8", "title", ``, []byte("\xed\xa0\x80"), false, "22021"},
		{"no UTF-8", "title", ``, []byte("a\xff"), false, "22021"},
		{"no UTF-8 by bytes", "title", `E'\xff'`, nil, false, "22021"},
		{"lone surrogate in jsonb", "tags", `'["\ud83d"]'`, []byte(`{"\udc00":1}`), false, "22P02"},

		{"beyond int64", "count", `9223372036854775808`, []byte("9223372036854775808"), false, "22003"},
		{"below int64", "count", `-9223372036854775809`, []byte("-9223372036854775809"), false, "22003"},
		{"beyond int64 within jsonb", "tags", `'[18446744073709551616]'`, []byte(`{"a":[-9223372036854775809]}`), false, "22003"},
		{"a sum beyond int64", "count", `9223372036854775807 + 1::bigint`, nil, false, "22003"},
		{"double precision beyond int64", "count", `1e19::float8`, nil, false, "22003"},
		{"a fraction as text of bigint", "count", `'1.5'`, []byte("1.5"), false, "22P02"},
		{"a key beyond int64", "sku", `9223372036854775808`, []byte("99999999999999999999"), false, "22003"},
		{"numeric with too many digits", "price", `1e35`, []byte("1e35"), false, "22003"},

		{"a text of 100 MB", "title", `repeat('x', 100000000)`, []byte(big), false, "54000"},
		{"a literal of 100 MB", "title", `'` + big + `'`, nil, false, "54000"},
		{"bytes of 100 MB", "raw", ``, []byte(big), true, "54000"},

		{"a binary bigint of 4 bytes", "count", ``, []byte{0, 0, 0, 1}, true, "08P01"},
		{"a binary double of 9 bytes", "weight", ``, append(eight(1), 0), true, "22P03"},
	} {
		short := func(s string) string { return s[:min(len(s), 120)] }
		columns, values := "sku, "+test.column, fmt.Sprintf("%d, ", i)
		if test.column == "sku" {
			columns, values = "sku", ""
		}
		if test.literal != "" {
			sql := `INSERT INTO item (` + columns + `) VALUES (` + values + test.literal + `)`
			_, err := c.Exec(t.Context(), sql).ReadAll() // without ask's patience: 100 MB take a busy machine a while
			if wantError(t, test.name+": "+short(sql), err, test.code) == nil && c.IsClosed() {
				c = g.connect(t, "onto")
			}
		}
		if test.param != nil {
			format := []int16{0}
			if test.binary {
				format[0] = 1
			}
			_, err := c.ExecParams(t.Context(), `INSERT INTO item (`+columns+`) VALUES (`+values+`$1)`, [][]byte{test.param}, nil, format, nil).Close()
			if wantError(t, test.name+" as a parameter", err, test.code) == nil && c.IsClosed() {
				c = g.connect(t, "onto")
			}
		}
		if c.IsClosed() {
			t.Errorf("%s: the connection is closed after the error, want it to be of use; the log:\n%s", test.name, short(g.log.String()))
			c = g.connect(t, "onto")
		}
	}
	// A NUL in the text of a statement ends it for the protocol.
	r := g.raw(t).login(t)
	r.write(t, message('Q', []byte("INSERT INTO item (sku, title) VALUES (1, 'a\x00b')\x00")...))
	if e := r.untilReady(t); e == nil || e.Code != "08P01" {
		t.Errorf("a statement with a NUL in it is told %+v, want 08P01", e)
	}
	c.answers(t, `SELECT sku, title, price, weight, count, tags::text FROM item`)
	after := objectsOf(t, s.dir)
	for key, body := range after {
		if before[key] != body {
			t.Errorf("%s has changed after refused values", key)
		}
	}
}

// TestWriteHardValues hands over values at the edge of what can be stored, and
// reads them back, also as the next process sees them.
func TestWriteHardValues(t *testing.T) {
	t.Parallel()
	s := newItems(t)
	start := func() *client {
		return serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir).connect(t, "onto")
	}
	c := start()
	c.answers(t, `INSERT INTO item (sku, weight) VALUES (1, 'NaN'), (2, 'Infinity'), (3, '-Infinity'), (4, '-0'), (5, '5e-324'), (6, '1.7976931348623157e308')`)
	c.answers(t, `INSERT INTO item (sku, count, price) VALUES (9223372036854775807, -9223372036854775808, 99999999999999999999.999999999999999999), (-9223372036854775808, 0, -0.0)`)
	c.answers(t, `INSERT INTO item (sku, tags) VALUES (10, 'null'), (11, '[1e308, -0.0, 9223372036854775807, {"": ""}]'), (12, NULL)`)
	megabyte := strings.Repeat("äöü😀\x01", 100_000)
	if _, err := c.ExecParams(t.Context(), `INSERT INTO item (sku, title, raw) VALUES (20, $1, $2)`, [][]byte{[]byte(megabyte), bytes.Repeat([]byte{0, 255}, 1<<19)}, nil, []int16{0, 1}, nil).Close(); err != nil {
		t.Errorf("values of a megabyte: %v", err)
	}
	c.answers(t, `INSERT INTO item (sku, title) VALUES (21, repeat('x', 67108864))`) // the most there can be
	c.refuses(t, `INSERT INTO item (sku, title) VALUES (22, repeat('x', 67108864) || 'y')`, "54000", "67108864")
	c.answers(t, `SELECT octet_length(title) FROM item WHERE sku = 21`, "67108864")
	for _, c := range []*client{c, start()} {
		c.answers(t, `SELECT sku, weight FROM item WHERE weight IS NOT NULL ORDER BY sku`, "1|NaN", "2|Infinity", "3|-Infinity", "4|-0", "5|5e-324", "6|1.7976931348623157e+308")
		c.answers(t, `SELECT fields_json->>'weight' IS NULL FROM item WHERE sku = 12`, "t")
		c.answers(t, `SELECT sku, count FROM item WHERE count IS NOT NULL ORDER BY sku`, "-9223372036854775808|0", "9223372036854775807|-9223372036854775808")
		c.answers(t, `SELECT tags IS NULL FROM item WHERE sku IN (10, 11, 12) ORDER BY sku`, "t", "f", "t")
		c.answers(t, `SELECT length(title), octet_length(raw), title = repeat('äöü😀' || chr(1), 100000) FROM item WHERE sku = 20`, "500000|1048576|t")
	}
	sound(t, s.dir)
}

// TestWriteRelationToNothing: the entities that a relation links need not be
// there (COMPAT rule 16), their types must.
func TestWriteRelationToNothing(t *testing.T) {
	t.Parallel()
	s := newItems(t)
	loose := format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Loose"}, Left: "Item", Right: "Gone"}
	var gone *migration.NoEndpointError
	if _, err := s.publisher.Register(t.Context(), time.Time{}, []format.Schema{loose}); !errors.As(err, &gone) || gone.Endpoint.Name != "Gone" {
		t.Errorf("a relation type to a type that does not exist: %v", err)
	}
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
	c := g.connect(t, "onto")
	c.answers(t, `INSERT INTO holds VALUES ('nobody', 404)`)
	c.refuses(t, `INSERT INTO holds VALUES ('nobody', 'x')`, "22P02", `"x"`)
	c.answers(t, `SELECT left_key, right_key FROM holds`, "nobody|404")
	c.refuses(t, `INSERT INTO loose VALUES (1, 'anything')`, "42P01", "loose")
}

// TestWriteNumberLiterals: a number in the text of a statement is a double
// precision's where it is used as one, how many digits it has. Drivers that put
// values into the text, as pgx does in its simple protocol, write it so.
func TestWriteNumberLiterals(t *testing.T) {
	t.Parallel()
	s := newItems(t)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
	c := g.connect(t, "onto")
	c.answers(t, `INSERT INTO item (sku, weight) VALUES (1, 1e300)`)
	c.answers(t, `INSERT INTO item (sku, weight) VALUES (2, 5e-324)`)
	c.answers(t, `INSERT INTO item (sku, weight) VALUES (3, -1`+strings.Repeat("0", 300)+`)`)
	c.answers(t, `INSERT INTO item (sku, weight) VALUES (4, 1.7976931348623157e308::float8)`)
	c.answers(t, `SELECT sku, weight FROM item ORDER BY sku`, "1|1e+300", "2|5e-324", "3|-1e+300", "4|1.7976931348623157e+308")
}

// TestWriteAtAnOldPoint writes to what has been: 25006 everywhere, and no byte
// changes.
func TestWriteAtAnOldPoint(t *testing.T) {
	t.Parallel()
	s := newStore(t, 5)
	before := snapshotOf(t, s.dir)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
	c := g.connect(t, "onto")
	for _, sql := range []string{
		`INSERT INTO history.customer (id, tier) VALUES ('new', 'x')`,
		`INSERT INTO changes.customer (id, tier) VALUES ('new', 'x')`,
		`INSERT INTO as_of.customer (id, tier) VALUES ('new', 'x')`,
	} {
		c.refuses(t, sql, "25006", "read-only")
	}
	for _, setting := range []string{`SET ontosql.as_of = 3`, `SET ontosql.as_of = '2025-01-04'`, `BEGIN; SET LOCAL ontosql.as_of = 5`, `BEGIN READ ONLY`, `SET default_transaction_read_only = on`} {
		c.answers(t, setting)
		if _, err := c.ask(t, addNew); wantError(t, setting+"; "+addNew, err, "25006", "read-only transaction") == nil {
			return
		}
		c.answers(t, `ROLLBACK; RESET ontosql.as_of; RESET default_transaction_read_only`)
	}
	for _, database := range []string{"onto@3", "onto@5", "onto@2025-01-04"} {
		old := g.connect(t, database)
		old.refuses(t, addNew, "25006", "read-only", database[strings.Index(database, "@")+1:])
		old.refuses(t, `BEGIN; `+addNew, "25006", "read-only")
	}
	checkUntouched(t, s.dir, before)
	c.answers(t, addNew)
	c.answers(t, `SELECT count(*) FROM customer`, "5")
}

// TestWriteReservedName: no type can be made with a field that is named like a
// system column. What another program made so is read only: see tests/fixtures.
func TestWriteReservedName(t *testing.T) {
	t.Parallel()
	s := newStore(t, 3)
	for _, name := range []string{"commit_id", "entity_type", "entity_key", "schema_version_id", "fields_json", "Fields_JSON"} {
		ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "R" + name}
		id := format.NewField("id", format.FieldStr, false)
		id.PrimaryKey = true
		if _, err := s.publisher.Register(t.Context(), time.Time{}, []format.Schema{{Ref: ref, Fields: []format.SchemaField{id, format.NewField(name, format.FieldStr, true)}}}); err == nil || !strings.Contains(err.Error(), "reserved") {
			t.Errorf("register a type with the field %q: %v, want it refused as reserved", name, err)
		}
	}
}
