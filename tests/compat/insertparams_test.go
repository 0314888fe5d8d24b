package compat

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestWriteParameters prepares writes on both sides with the parameter types that a client
// knows, and compares the described types, the result columns and the answers of the execution.
func TestWriteParameters(t *testing.T) {
	ctx := t.Context()
	real := postgresTables(t, "compat_insert", tables)
	ours := connect(t, start(t, tables))
	for _, c := range []struct {
		sql  string
		oids []uint32
		args []string
	}{
		{sql: "INSERT INTO product (id, stock, launched) VALUES ($1, $2, $3), ($4, $1, NULL) RETURNING *", args: []string{"501", "5", "2024-01-01", "502"}},
		{sql: "INSERT INTO product (id, name) SELECT $1, $2 RETURNING id, $3", args: []string{"503", "n", "x"}},
		{sql: "INSERT INTO product (id, name) VALUES ($1, $2) RETURNING $2 || name, id + $3", args: []string{"504", "n", "7"}},
		{sql: "INSERT INTO product (id, price, stock) VALUES ($1, $2, $3) RETURNING *", oids: []uint32{23, 701, 1700}, args: []string{"505", "1.5", "2.5"}},
		{sql: "INSERT INTO product (id, name) VALUES ($1, $1) RETURNING *", oids: []uint32{23}, args: []string{"506"}},
		{sql: "INSERT INTO product (id, name) VALUES ($2, upper($1)) RETURNING *", args: []string{"a", "507"}},
		{sql: "INSERT INTO customer (id, balance, active, created, birth, credit, attrs) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *", args: []string{"p1", "1.5", "t", "2024-01-01 00:00:00+00", "2024-01-01", "1.25", `{"a": 1}`}},
		{sql: "INSERT INTO product (id, name) VALUES ($1, $1)"},
		{sql: "INSERT INTO product (id) VALUES ($1)", oids: []uint32{25}},
		{sql: "INSERT INTO product (id, name) SELECT $1, $2 UNION SELECT $1, 'x'"},
		{sql: "INSERT INTO product (id, name) SELECT DISTINCT $1, $2"},
		{sql: "INSERT INTO product (id, name) VALUES ($1), (5)"},
		{sql: "INSERT INTO product (id, stock) VALUES ($1, $2)", oids: []uint32{20, 701}, args: []string{"508", "1e300"}},
		{sql: "INSERT INTO product (id, name) VALUES ($1, $2), ($3, 'b') ON CONFLICT (id) DO UPDATE SET name = excluded.name || $4, stock = $5 WHERE product.id < $6 RETURNING *, $7", args: []string{"501", "up", "509", "!", "8", "600", "x"}},
		{sql: "INSERT INTO product (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id", args: []string{"501", "no"}},
		{sql: "UPDATE product SET name = $1, stock = $2, price = $3 WHERE id = $4 RETURNING *, $5", args: []string{"n", "7", "1.25", "501", "x"}},
		{sql: "UPDATE product SET name = $1 WHERE id = $1 RETURNING id, name", args: []string{"502"}},
		{sql: "UPDATE product SET name = $1, stock = $1 WHERE id = 502"},
		{sql: "UPDATE product SET (name, stock) = ($1, $2) WHERE id = 502 RETURNING name, stock", args: []string{"m", "9"}},
		{sql: "UPDATE product SET (name, stock) = (SELECT $1, $2) WHERE id = 502"},
		{sql: "UPDATE product SET name = v.name FROM (VALUES ($1::bigint, $2)) AS v(id, name) WHERE v.id = product.id RETURNING v.id, product.name, $3 + stock", args: []string{"502", "from", "1"}},
		{sql: "UPDATE customer SET attrs['k'] = $1, name = $2 WHERE id = $3 RETURNING attrs -> 'k', name", args: []string{"5", "n", "p1"}},
		{sql: "UPDATE customer SET attrs = jsonb_set(attrs, $1, $2) WHERE id = 'p1' RETURNING attrs", args: []string{"{k}", "6"}},
		{sql: "MERGE INTO product USING (VALUES ($1::bigint, $2)) AS s(k, v) ON id = k WHEN MATCHED AND stock > $3 THEN UPDATE SET name = v, stock = $4 WHEN NOT MATCHED THEN INSERT (id, name, price) VALUES (k, v, $5)", args: []string{"502", "merged", "1", "3", "2.5"}},
		{sql: "MERGE INTO product USING (VALUES ($1::bigint, $2)) AS s(k, v) ON id = k WHEN MATCHED THEN UPDATE SET name = v WHEN NOT MATCHED THEN INSERT (id, name, price) VALUES (k, v, $3)", args: []string{"510", "new", "2.5"}},
		{sql: "SELECT * FROM product WHERE id > $1 ORDER BY id", args: []string{"500"}},
		{sql: "SELECT '1'::jsonb = $1, $2 <> '{}'::jsonb, '{\"a\":1}'::jsonb IN ($3, '[]')", args: []string{"1.0", "{ }", `{"a": 1.0}`}},
		{sql: "SELECT '1'::jsonb = $1", args: []string{"{"}},
	} {
		want, got := askPrepared(ctx, real, c.sql, c.oids, c.args), askPrepared(ctx, ours, c.sql, c.oids, c.args)
		if !slices.Equal(want.params, got.params) {
			t.Errorf("%s\n  postgres parameters: %v\n  ontosql parameters:  %v", c.sql, want.params, got.params)
		}
		if diff := compare(want.answer, got.answer, false); diff != "" {
			t.Errorf("%s\n%s", c.sql, diff)
		}
	}
}

type preparedAnswer struct {
	answer
	params []uint32
}

func askPrepared(ctx context.Context, c *pgconn.PgConn, sql string, oids []uint32, texts []string) (a preparedAnswer) {
	failed := func(err error) preparedAnswer {
		var pe *pgconn.PgError
		if errors.As(err, &pe) {
			a.code, a.at, a.err = pe.Code, pe.Position, pe.Error()
		} else {
			a.code, a.err = "connection", err.Error()
		}
		return a
	}
	d, err := c.Prepare(ctx, "", sql, oids)
	if err != nil {
		return failed(err)
	}
	a.params = d.ParamOIDs
	args := make([][]byte, len(texts))
	for i, s := range texts {
		args[i] = []byte(s)
	}
	r := c.ExecPrepared(ctx, "", args, nil, nil).Read()
	if r.Err != nil {
		return failed(r.Err)
	}
	a.tag = r.CommandTag.String()
	for _, f := range r.FieldDescriptions {
		a.names, a.oids = append(a.names, f.Name), append(a.oids, f.DataTypeOID)
	}
	for _, row := range r.Rows {
		var vs []string
		for _, v := range row {
			if v == nil {
				vs = append(vs, "NULL")
			} else {
				vs = append(vs, string(v))
			}
		}
		a.rows = append(a.rows, vs)
	}
	return a
}

// TestInsertNamesTheColumn: the engine refuses a value and names no column; the
// session finds it.
func TestInsertNamesTheColumn(t *testing.T) {
	ctx := t.Context()
	ours := connect(t, start(t, tables))
	for _, c := range []struct{ sql, code, column string }{
		{"INSERT INTO product (id, name, stock) SELECT id + 600, name, name::bigint FROM product", "22P02", "stock"},
		{"INSERT INTO product (id, stock) VALUES (601, 1), (602, '1e300'::float8)", "22003", "stock"},
		{"INSERT INTO customer (id, age, credit) SELECT 'x', id, id * 1e27::float8 FROM product", "22003", "credit"},
		{"INSERT INTO customer (id, active, attrs) SELECT id, CAST(name AS boolean), '{}' FROM product", "22P02", "active"},
		{"INSERT INTO product (id, name) SELECT id + 700, name FROM product WHERE name::bigint > 1", "22P02", "id,name"},
	} {
		_, err := ours.Exec(ctx, c.sql).ReadAll()
		var pe *pgconn.PgError
		if !errors.As(err, &pe) || pe.Code != c.code || pe.ColumnName != c.column {
			t.Errorf("%s: got %#v, want %s in %s", c.sql, err, c.code, c.column)
		}
	}
}
