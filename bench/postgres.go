package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// postgres is PostgreSQL with the history as a user would keep it there: a table
// of the latest rows and one of all versions.
type postgres struct{ *testenv.PostgresServer }

// settings are what every guide to tuning says for a machine of some gigabytes;
// what is durable is durable.
var settings = []string{
	"shared_buffers=2GB", "effective_cache_size=8GB", "work_mem=256MB", "maintenance_work_mem=1GB", "max_wal_size=8GB",
	"random_page_cost=1.1", "fsync=on", "synchronous_commit=on", "full_page_writes=on",
}

func (l *lab) postgres(ctx context.Context) (*postgres, error) {
	if l.pg != nil {
		return l.pg, nil
	}
	s, err := testenv.StartPostgres(ctx, settings...)
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	l.pg = &postgres{s}
	began := time.Now()
	if err := l.pg.load(ctx, l.size); err != nil {
		return nil, fmt.Errorf("load PostgreSQL: %w", err)
	}
	l.tell("PostgreSQL has the history after %s", toldTime(began))
	return l.pg, nil
}

// load fills the tables and does what a user would: primary keys, and statistics.
func (p *postgres) load(ctx context.Context, s size) error {
	conn, err := pgconn.Connect(ctx, p.DSN)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, t := range s.tables() {
		if err := execute(ctx, conn, "CREATE TABLE "+t.name+" ("+t.columns+")"); err != nil {
			return err
		}
		r, w := io.Pipe()
		go func() {
			b := bufio.NewWriterSize(w, 1<<16)
			t.lines(b)
			w.CloseWithError(b.Flush())
		}()
		_, err := conn.CopyFrom(ctx, r, "COPY "+t.name+" FROM STDIN")
		r.CloseWithError(err)
		if err != nil {
			return fmt.Errorf("copy to %s: %w", t.name, err)
		}
		if err := execute(ctx, conn, "ALTER TABLE "+t.name+" ADD PRIMARY KEY ("+t.key+")"); err != nil {
			return err
		}
	}
	return execute(ctx, conn, "VACUUM ANALYZE")
}

func execute(ctx context.Context, conn *pgconn.PgConn, sql string) error {
	if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// table is one of PostgreSQL, with its rows as COPY reads them.
type table struct {
	name, columns, key string
	lines              func(w io.Writer)
}

func (s size) tables() []table {
	const customers = `id text COLLATE "C" NOT NULL, name text, tier text, balance double precision, visits bigint`
	line := func(w io.Writer, c customer) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%v\t%d\n", c.id, c.name, c.tier, c.balance, c.visits)
	}
	return []table{
		{"customer", customers, "id", func(w io.Writer) {
			for i := range s.Customers {
				line(w, customerAt(i, s.Rounds-1))
			}
		}},
		{"customer_versions", "commit_id bigint NOT NULL, " + customers, "id, commit_id", func(w io.Writer) {
			commit := 1 // which registers the types
			for round, customers := range s.writes() {
				commit++
				for _, i := range customers {
					fmt.Fprintf(w, "%d\t", commit)
					line(w, customerAt(i, round))
				}
			}
		}},
		{"product", "id bigint NOT NULL, price double precision, title text, added timestamptz, active boolean", "id", func(w io.Writer) {
			for i := range s.Products {
				p := productAt(i)
				fmt.Fprintf(w, "%d\t%v\t%s\t%s\t%t\n", p.id, p.price, p.title, p.added.Format(time.RFC3339), p.active)
			}
		}},
		{"subscription", `left_key text COLLATE "C" NOT NULL, right_key bigint NOT NULL, plan text, seats bigint`, "left_key, right_key", func(w io.Writer) {
			for i := range s.Subscriptions {
				s := s.subscriptionAt(i)
				fmt.Fprintf(w, "%s\t%d\t%s\t%d\n", s.customer, s.product, s.plan, s.seats)
			}
		}},
	}
}

// copyTables makes copies of tables of PostgreSQL, under their names with a prefix:
// the tables that other measures read stay as they are. drop takes the copies away.
func (c *client) copyTables(prefix string, tables ...string) (drop func(), err error) {
	copies := make([]string, len(tables))
	for i, table := range tables {
		copies[i] = prefix + table
		for _, sql := range []string{"CREATE TABLE " + copies[i] + " AS TABLE " + table, "ALTER TABLE " + copies[i] + " ADD PRIMARY KEY (id)"} {
			if _, err := c.query(sql); err != nil {
				return nil, err
			}
		}
	}
	if _, err := c.query("VACUUM ANALYZE"); err != nil {
		return nil, err
	}
	return func() { _, _ = c.query("DROP TABLE " + strings.Join(copies, ", ")) }, nil
}
