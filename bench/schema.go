package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// schemaChanges is P10: what a change of the schema takes that writes no row
// again, behind a distance, and one that writes every row again.
func schemaChanges(ctx context.Context, l *lab, r *result) error {
	if err := farSchemaChanges(ctx, l, r); err != nil {
		return err
	}
	return retyping(ctx, l, r)
}

// farSchemaChanges makes tables and adds columns to them on an S3 server that is
// far away, in turn with INSERTs of one row.
func farSchemaChanges(ctx context.Context, l *lab, r *result) error {
	far, err := startRemote(ctx)
	if err != nil {
		return err
	}
	defer far.close()
	const bucket = "schema"
	near, err := far.near(ctx, bucket)
	if err != nil {
		return err
	}
	if err := fillCommits(ctx, near, shortHistory, l.size.LongRows); err != nil {
		return fmt.Errorf("fill a bucket: %w", err)
	}
	before, err := far.head(ctx, bucket)
	if err != nil {
		return err
	}
	cache, err := l.newDir("cache")
	if err != nil {
		return err
	}
	g, err := l.serve(ctx, "--storage-uri", "s3://"+bucket, "--s3-endpoint-url", far.proxy.endpoint(), "--cache-dir", cache)
	if err != nil {
		return err
	}
	defer g.stop()
	if err := g.mirrored(ctx, "customer"); err != nil {
		return err
	}
	s := &schemaWriter{proxy: far.proxy, statements: l.size.questions(10)}
	if s.client, err = dial(ctx, g.dsn); err != nil {
		return err
	}
	defer s.client.close()
	if s.insert, err = s.client.prepare(insertOne, formatBinary); err != nil {
		return err
	}
	if _, err := s.client.query("SET ontosql.purge_history = on"); err != nil {
		return err
	}
	var requests [3]requestsOf
	all := []contender{
		{"INSERT of one row", s.turn(&requests[0], s.customer, s.customer)},
		{"CREATE TABLE", s.turn(&requests[1], s.customer, s.create)},
		{"ADD COLUMN", func(lap int) ([]time.Duration, error) {
			took, err := s.turn(&requests[2], s.fill, s.addColumn)(lap)
			if err != nil {
				return nil, err
			}
			return took, s.drop(lap)
		}},
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	after, err := far.head(ctx, bucket)
	if err != nil {
		return err
	}
	if got := int(after.CommitID - before.CommitID); got != s.commits {
		return fmt.Errorf("%d statements were acknowledged, and the head went from %d to %d", s.commits, before.CommitID, after.CommitID)
	}
	for i, c := range all {
		if i > 0 {
			r.atMost(c.name+" / INSERT of one row", found[i].over(found[0]), "x", 1.2)
		}
		r.note(c.name+", round trips that fit into it", math.Floor(float64(found[i].median())/float64(distance)), "")
		r.note(c.name+", requests until its answer", median(requests[i].until), "")
		r.note(c.name+", requests from there until the next INSERT is answered", median(requests[i].after), "")
	}
	r.times("", all, found)
	return nil
}

// schemaWriter is one client of a far store, which changes its schema, and the
// proxy that counts what this sends to the store.
type schemaWriter struct {
	client     *client
	insert     *statement
	proxy      *slowProxy
	statements int // of a turn
	customers  int // that were inserted
	commits    int // that were acknowledged
}

// requestsOf are those of each statement of a kind.
type requestsOf struct {
	until []float64 // until its answer
	after []float64 // from there until the next INSERT is answered
}

// turn times so many statements. An INSERT before each warms it, and the one after it
// ends the count of what follows.
func (s *schemaWriter) turn(requests *requestsOf, first, then func(table string) error) func(lap int) ([]time.Duration, error) {
	return func(lap int) ([]time.Duration, error) {
		took := make([]time.Duration, s.statements)
		for i := range took {
			if err := first(tableOf(lap, i)); err != nil {
				return nil, err
			}
			before, began := s.proxy.counts(), time.Now()
			if err := then(tableOf(lap, i)); err != nil {
				return nil, err
			}
			took[i] = time.Since(began)
			answered := s.proxy.counts()
			if err := s.customer(""); err != nil {
				return nil, err
			}
			requests.until = append(requests.until, float64(answered.since(before).total()))
			requests.after = append(requests.after, float64(s.proxy.counts().since(answered).total()))
		}
		return took, nil
	}
}

// tableOf is the name of a table that a lap makes.
func tableOf(lap, i int) string { return fmt.Sprintf("made_%d_%d", lap, i) }

func (s *schemaWriter) customer(string) error {
	s.customers++
	s.commits++
	return s.insert.expect(0, newCustomer("s", s.customers)...)
}

func (s *schemaWriter) create(table string) error {
	return s.commit("CREATE TABLE " + table + " (id text PRIMARY KEY, name text NOT NULL, amount double precision)")
}

// fill gives a table the row that no new column may write again.
func (s *schemaWriter) fill(table string) error {
	return s.commit("INSERT INTO " + table + " VALUES ('a', 'A', 1)")
}

func (s *schemaWriter) addColumn(table string) error {
	return s.commit("ALTER TABLE " + table + " ADD COLUMN note text")
}

// drop takes away what a lap made: every change carries the whole schema, and
// that of a later lap should not be larger.
func (s *schemaWriter) drop(lap int) error {
	var tables []string
	for i := range s.statements {
		tables = append(tables, tableOf(lap, i))
	}
	return s.commit("DROP TABLE " + strings.Join(tables, ", "))
}

func (s *schemaWriter) commit(sql string) error {
	s.commits++
	_, err := s.client.query(sql)
	return err
}
