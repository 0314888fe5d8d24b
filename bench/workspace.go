package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// workspaceTables is P14: ordinary tables in a schema of the workspace and in PostgreSQL on the
// same disk, a view over a type, and temporary tables.
func workspaceTables(ctx context.Context, l *lab, r *result) error {
	pg, ours, duck, err := l.rivals(ctx)
	if err != nil {
		return err
	}
	theirs, err := newBencher(ctx, "PostgreSQL", pg.DSN)
	if err != nil {
		return err
	}
	defer theirs.close()
	mine, err := newBencher(ctx, "ontosql", ours.dsn)
	if err != nil {
		return err
	}
	defer mine.close()
	sides := []*bencher{theirs, mine}
	if err := l.tableOfVersions(ctx, r, sides, duck); err != nil {
		return err
	}
	if err := l.bulkStatements(r, sides); err != nil {
		return err
	}
	if err := l.shortStatements(r, sides); err != nil {
		return err
	}
	return l.lookUpsInView(ctx, r, mine)
}

// bencher is a server with a schema of its own for the tables of P14.
type bencher struct {
	name, dsn string
	*client
}

// newBencher creates the schema, with a copy of the customers.
func newBencher(ctx context.Context, name, dsn string) (*bencher, error) {
	c, err := dial(ctx, dsn)
	if err != nil {
		return nil, err
	}
	b := &bencher{name, dsn, c}
	for _, sql := range []string{
		"CREATE SCHEMA bench",
		`CREATE TABLE bench.customer (id text COLLATE "C" PRIMARY KEY, name text, tier text, balance double precision, visits bigint)`,
		"INSERT INTO bench.customer SELECT id, name, tier, balance, visits FROM customer",
		"CREATE TABLE bench.event (id bigint PRIMARY KEY, what text NOT NULL)",
		"CREATE VIEW bench.current AS SELECT id, name, tier, balance, visits FROM customer",
		"ANALYZE bench.customer",
	} {
		if _, err := c.query(sql); err != nil {
			b.close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return b, nil
}

// close drops the schema and closes the connection.
func (b *bencher) close() {
	_, _ = b.query("DROP SCHEMA IF EXISTS bench CASCADE")
	b.client.close()
}

// versions is the relation of all versions of the customers.
func (b *bencher) versions() string {
	if b.name == "PostgreSQL" {
		return "customer_versions"
	}
	return "history.customer"
}

// tableOfVersions is CREATE TABLE AS of all versions of the customers. Raw DuckDB writes them
// from one table of its file to another.
func (l *lab) tableOfVersions(ctx context.Context, r *result, sides []*bencher, duck *raw) error {
	const create, drop = "CREATE TABLE %s AS SELECT %s, id, name, tier, balance, visits FROM %s", "DROP TABLE "
	var all []contender
	for _, b := range sides {
		all = append(all, contender{b.name, each(1, func(int) error {
			_, err := b.query(fmt.Sprintf(create, "bench.versions", "commit_id", b.versions()))
			return err
		})})
	}
	all = append(all, contender{"raw DuckDB", each(1, func(int) error {
		return duck.conn.Exec(ctx, fmt.Sprintf(create, "versions", "c", "(SELECT * FROM cur UNION ALL SELECT * EXCLUDE (v) FROM hist)"))
	})})
	for i := range all {
		turn := all[i].turn
		all[i].turn = func(lap int) ([]time.Duration, error) {
			took, err := turn(lap)
			if err != nil {
				return nil, err
			}
			if i < len(sides) {
				_, err = sides[i].query(drop + "bench.versions")
			} else {
				err = duck.conn.Exec(ctx, drop+"versions")
			}
			return took, err
		}
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return fmt.Errorf("CREATE TABLE AS: %w", err)
	}
	name := fmt.Sprintf("CREATE TABLE AS of %d versions: ", l.size.versions())
	r.atLeast(name+"PostgreSQL / ontosql", found[0].over(found[1]), "x", 5)
	r.note(name+"PostgreSQL / raw DuckDB", found[0].over(found[2]), "x")
	r.times(name, all, found)
	return nil
}

// bulkStatements are statements over many rows, one transaction each.
func (l *lab) bulkStatements(r *result, sides []*bencher) error {
	const remove, add = "DELETE FROM bench.customer WHERE visits >= 950",
		"INSERT INTO bench.customer SELECT id, name, tier, balance, visits FROM customer WHERE visits >= 950"
	for _, s := range []struct {
		name                 string
		goal                 float64 // of PostgreSQL's time / ontosql's
		before, timed, after string
	}{
		{"INSERT SELECT of a twentieth", 1, remove, add, ""},
		{"UPDATE of a twentieth", 1, "", "UPDATE bench.customer SET balance = balance + 1 WHERE visits < 50", ""},
		{"DELETE of a twentieth", 1, "", remove, add},
	} {
		var all []contender
		for _, b := range sides {
			all = append(all, contender{b.name, func(int) (took []time.Duration, err error) {
				for _, sql := range []string{s.before, s.timed, s.after} {
					if sql == "" {
						continue
					}
					d, err := b.timed(sql)
					if err != nil {
						return nil, err
					}
					if sql == s.timed {
						took = []time.Duration{d}
					}
				}
				return took, nil
			}})
		}
		found, err := race(l.laps, all...)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		r.atLeast(s.name+": PostgreSQL / ontosql", found[0].over(found[1]), "x", s.goal)
		r.times(s.name+": ", all, found)
	}
	return nil
}

// shortStatements are one-row INSERTs, one durable transaction each, and temporary tables.
func (l *lab) shortStatements(r *result, sides []*bencher) error {
	var inserts, tables []contender
	for _, b := range sides {
		st, err := b.prepare("INSERT INTO bench.event VALUES ($1, 'an event')", formatBinary)
		if err != nil {
			return err
		}
		inserts = append(inserts, contender{b.name + ", one-row INSERT", each(l.size.questions(100), func(i int) error {
			return st.expect(0, fmt.Sprint(i))
		})})
		tables = append(tables, contender{b.name, each(l.size.questions(1000), func(int) error {
			for _, sql := range []string{"CREATE TEMP TABLE passing (id bigint, what text)", "DROP TABLE passing"} {
				if _, err := b.query(sql); err != nil {
					return err
				}
			}
			return nil
		})})
	}
	found, err := race(l.laps, inserts...)
	if err != nil {
		return err
	}
	r.note("one-row INSERT: ontosql / PostgreSQL", found[1].over(found[0]), "x")
	r.times("", inserts, found)
	if found, err = race(l.laps, tables...); err != nil {
		return err
	}
	r.atMost("CREATE TEMP TABLE and DROP: ontosql / PostgreSQL", found[1].over(found[0]), "x", 2)
	r.times("CREATE TEMP TABLE and DROP: ", tables, found)
	return nil
}

// lookUpsInView are look-ups by key in a type, and in a view of it.
func (l *lab) lookUpsInView(ctx context.Context, r *result, mine *bencher) error {
	var all []contender
	for _, q := range []struct{ name, sql string }{
		{"look-up in a type", byKey},
		{"look-up in a view of it", strings.Replace(byKey, "FROM customer", "FROM bench.current", 1)},
	} {
		turn, closeAll, err := l.crowd(ctx, mine.dsn, q.sql, 1)
		if err != nil {
			return err
		}
		defer closeAll()
		all = append(all, contender{q.name, turn})
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atMost("a view over latest adds", milliseconds(found[1].median()-found[0].median()), "ms", 0.2)
	r.times("", all, found)
	return nil
}
