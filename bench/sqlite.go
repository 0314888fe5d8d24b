package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// inSQLite is P11: the history in a SQLite file, beside the same in a directory, the
// shell of SQLite, and SQLite in this process.
func inSQLite(ctx context.Context, l *lab, r *result) error {
	path, err := l.file(ctx)
	if err != nil {
		return err
	}
	if err := fileAggregates(ctx, l, path, r); err != nil {
		return err
	}
	if err := fileLookups(ctx, l, path, r); err != nil {
		return err
	}
	return fileCommits(ctx, l, r)
}

// file is the history in a SQLite file, copied from the directory by the program.
func (l *lab) file(ctx context.Context) (string, error) {
	store, err := l.history(ctx)
	if err != nil {
		return "", err
	}
	path := store + ".db"
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	began := time.Now()
	making := filepath.Join(l.dir, "history.db")
	if err := l.copyInto(ctx, store, making); err != nil {
		return "", err
	}
	l.tell("copied the history into a SQLite file in %s", toldTime(began))
	return path, os.Rename(making, path)
}

// copyInto copies a store into a new SQLite file, as its user would.
func (l *lab) copyInto(ctx context.Context, store, path string) error {
	out, err := exec.CommandContext(ctx, l.binary, "copy", store, path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy %s into a SQLite file: %w\n%s", store, err, out)
	}
	return nil
}

// serveFile serves a SQLite file with a cache of its own.
func (l *lab) serveFile(ctx context.Context, path, cacheSize string) (*gateway, error) {
	cache, err := l.newDir("cache")
	if err != nil {
		return nil, err
	}
	return l.serve(ctx, "--storage-uri", path, "--cache-dir", cache, "--cache-size", cacheSize)
}

// newestInShell is the newest version of each customer as seed 002 section 3.1 has it.
const newestInShell = `SELECT count(*), avg(json_extract(eh.fields_json, '$.balance')) FROM entity_history eh
	JOIN (SELECT entity_key, max(commit_id) AS max_cid FROM entity_history WHERE entity_type = 'Customer' GROUP BY entity_key) latest
	ON eh.entity_key = latest.entity_key AND eh.commit_id = latest.max_cid WHERE eh.entity_type = 'Customer'`

// feeds has a gateway with an empty cache mirror the customers, once a lap. The last
// gateway stays, with its mirror; the caller stops it.
func (l *lab) feeds(ctx context.Context, path string, r *result) (*gateway, error) {
	if err := readThrough(path); err != nil {
		return nil, err
	}
	rows := float64(l.size.versions())
	var fed, whole, written []float64
	for lap := range l.laps {
		g, err := l.serveFile(ctx, path, cacheSize)
		if err != nil {
			return nil, err
		}
		first := time.Now()
		began := first
		if err = g.looked(ctx, "customer"); err == nil {
			began = time.Now()
			err = g.fed(ctx, "customer")
		}
		if err == nil {
			fed = append(fed, rows/time.Since(began).Seconds())
			whole = append(whole, rows/time.Since(first).Seconds())
			err = g.mirrored(ctx, "customer")
			written = append(written, rows/time.Since(first).Seconds())
		}
		if err == nil && lap == l.laps-1 {
			r.atLeast("feeding the mirror, from the statement that begins it on", median(fed), "rows/s", 1_500_000)
			r.note("from the first statement on, which counts the rows of the file", median(whole), "rows/s")
			r.note("until the mirror has written them to its file, too", median(written), "rows/s")
			return g, nil
		}
		g.stop()
		if err != nil {
			return nil, err
		}
	}
	return nil, errors.New("no laps")
}

// readThrough leaves a file in the system's memory, as far as that goes.
func readThrough(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

// fileAggregates builds the native copy, and asks the aggregate of P2.
func fileAggregates(ctx context.Context, l *lab, path string, r *result) error {
	inDir, err := l.ontosql(ctx)
	if err != nil {
		return err
	}
	inFile, err := l.feeds(ctx, path, r)
	if err != nil {
		return err
	}
	defer inFile.stop()
	question := aggregates[0].of("customer")
	var all []contender
	for _, target := range []struct {
		name string
		*gateway
	}{{"ontosql, SQLite", inFile}, {"ontosql, directory", inDir}} {
		st, err := target.prepared(ctx, question)
		if err != nil {
			return err
		}
		defer st.client.close()
		all = append(all, contender{target.name, each(l.size.questions(20), func(int) error { return st.expect(1) })})
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atMost("average: SQLite / directory, both mirrored", found[0].over(found[1]), "x", 1.2)
	r.times("average: ", all, found)
	shell := contender{"sqlite3 shell", each(1, func(int) error {
		out, err := exec.CommandContext(ctx, "sqlite3", "-readonly", path, newestInShell).CombinedOutput()
		if err == nil && !strings.HasPrefix(string(out), fmt.Sprint(l.size.Customers, "|")) {
			err = fmt.Errorf("it found %q", out)
		}
		return err
	})}
	slow, err := race(1, all[0], shell)
	if err != nil {
		return err
	}
	r.atLeast("average: sqlite3 shell / ontosql", slow[1].over(slow[0]), "x", 30)
	r.times("average: ", []contender{shell}, slow[1:])
	return nil
}

// fileLookups asks for customers by key where there is no native copy. All contenders
// ask for the same ones, so the first of them would wait for the disk on behalf of the
// others: the file is read before.
func fileLookups(ctx context.Context, l *lab, path string, r *result) error {
	if err := readThrough(path); err != nil {
		return err
	}
	g, err := l.serveFile(ctx, path, "1MiB")
	if err != nil {
		return err
	}
	defer g.stop()
	st, err := g.prepared(ctx, byKey)
	if err != nil {
		return err
	}
	defer st.client.close()
	one, err := st.client.prepare(nothing, formatBinary)
	if err != nil {
		return err
	}
	pg, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	served, err := dial(ctx, pg.DSN)
	if err != nil {
		return err
	}
	defer served.close()
	there, err := served.prepare(byKey, formatBinary)
	if err != nil {
		return err
	}
	bare, err := l.serveSQLite(ctx, path)
	if err != nil {
		return err
	}
	defer bare.stop()
	sqlite, err := bare.prepared(ctx, byKey)
	if err != nil {
		return err
	}
	defer sqlite.client.close()
	emptily, err := sqlite.client.prepare(nothing, formatBinary)
	if err != nil {
		return err
	}
	questions := l.size.questions(aTurn)
	all := []contender{
		{"ontosql without a mirror, look-up", each(questions, func(i int) error { return st.expect(1, l.someKey(i)) })},
		{"ontosql, SELECT 1", each(questions, func(int) error { return one.expect(1) })},
		{"SQLite behind a socket, look-up", each(questions, func(i int) error { return sqlite.expect(1, l.someKey(i)) })},
		{"SQLite behind a socket, nothing", each(questions, func(int) error { return emptily.expect(1) })},
		{"PostgreSQL, look-up", each(questions, func(i int) error { return there.expect(1, l.someKey(i)) })},
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atMost("look-up by key without a mirror / SQLite behind a socket", found[0].over(found[2]), "x", 2)
	r.note("look-up by key without a mirror / SELECT 1", found[0].over(found[1]), "x")
	r.note("look-up by key without a mirror / PostgreSQL", found[0].over(found[4]), "x")
	r.times("", all, found)
	return nil
}

// fileCommits writes customers one by one into a new file, in turn with SQLite
// itself, and then from many clients at once.
func fileCommits(ctx context.Context, l *lab, r *result) error {
	short, err := l.short(ctx)
	if err != nil {
		return err
	}
	dir, err := l.newDir("commits")
	if err != nil {
		return err
	}
	ours, bare := filepath.Join(dir, "ours.db"), filepath.Join(dir, "bare.db")
	for _, to := range []string{ours, bare} {
		if err := l.copyInto(ctx, short, to); err != nil {
			return err
		}
	}
	g, err := l.serveFile(ctx, ours, cacheSize)
	if err != nil {
		return err
	}
	defer g.stop()
	insert, err := g.prepared(ctx, insertOne)
	if err != nil {
		return err
	}
	defer insert.client.close()
	native, err := l.serveSQLite(ctx, bare)
	if err != nil {
		return err
	}
	defer native.stop()
	sqlite, err := native.prepared(ctx, insertOne)
	if err != nil {
		return err
	}
	defer sqlite.client.close()
	questions := l.size.questions(100)
	all := []contender{
		{"ontosql, commit of one row", each(questions, func(i int) error { return insert.expect(0, newCustomer("one-", i)...) })},
		{"SQLite behind a socket, commit of one row", each(questions, func(i int) error { return sqlite.expect(0, newCustomer("one-", i)...) })},
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atMost("commit of one row: ontosql / SQLite behind a socket", found[0].over(found[1]), "x", 2)
	r.times("", all, found)
	rate, err := crowdCommits(ctx, g, l.size.questions(4000))
	if err != nil {
		return err
	}
	r.atLeast(fmt.Sprintf("%d clients", crowdClients), rate, "commits/s", 2_000)
	return nil
}

// bareCommit is what a commit cannot do without.
func bareCommit(conn *lite.Conn, customer []string) (err error) {
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	stamp := time.Now().UTC().Format("2006-01-02T15:04:05.000000+00:00")
	if err := sqlitex.Execute(conn, "INSERT INTO commits (created_at, metadata_json) VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{stamp, `{"actor": "bench"}`}}); err != nil {
		return err
	}
	commit := conn.LastInsertRowID()
	fields := fmt.Sprintf(`{"id": %q, "name": %q, "tier": %q, "balance": %s, "visits": %s}`, customer[0], customer[1], customer[2], customer[3], customer[4])
	return sqlitex.Execute(conn, "INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Customer', ?, ?, ?, 1)",
		&sqlitex.ExecOptions{Args: []any{customer[0], fields, commit}})
}

// crowdCommits is how many commits a second many clients make together.
func crowdCommits(ctx context.Context, g *gateway, commits int) (float64, error) {
	var left atomic.Int64
	left.Store(int64(commits))
	all, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	for n := range crowdClients {
		all.Go(func() error {
			insert, err := g.prepared(ctx, insertOne)
			if err != nil {
				return err
			}
			defer insert.client.close()
			for i := 0; left.Add(-1) >= 0; i++ {
				if err := insert.expect(0, newCustomer(fmt.Sprintf("crowd%d-", n), i)...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := all.Wait()
	return float64(commits) / time.Since(began).Seconds(), err
}
