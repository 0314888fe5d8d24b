package main

import (
	"context"
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

// readInShell reads what a feed reads, and keeps none of it.
const readInShell = `SELECT max(entity_key), max(commit_id), max(json_extract(fields_json, '$.id')), max(json_extract(fields_json, '$.name')),
	max(json_extract(fields_json, '$.tier')), max(json_extract(fields_json, '$.balance')), max(json_extract(fields_json, '$.visits')), count(*)
	FROM entity_history WHERE entity_type = 'Customer'`

// inShell asks the shell of SQLite, and wants its answer to begin or end with text.
func inShell(ctx context.Context, path, sql, text string) error {
	out, err := exec.CommandContext(ctx, "sqlite3", "-readonly", path, sql).CombinedOutput()
	answer := strings.TrimSpace(string(out))
	if err == nil && !strings.HasPrefix(answer, text) && !strings.HasSuffix(answer, text) {
		err = fmt.Errorf("it found %q", out)
	}
	return err
}

// feeds has a gateway with an empty cache mirror the customers, once a lap, in turn with
// the shell. The last gateway stays, with its mirror; the caller stops it.
func (l *lab) feeds(ctx context.Context, path string, r *result) (g *gateway, err error) {
	if err := readThrough(path); err != nil {
		return nil, err
	}
	versions := fmt.Sprint("|", l.size.versions())
	var all, whole, written, shell samples
	for range l.laps {
		if g != nil {
			g.stop()
		}
		if g, err = l.serveFile(ctx, path, cacheSize); err != nil {
			return nil, err
		}
		f, err := g.feed(ctx, "customer")
		began := time.Now()
		if err == nil {
			err = inShell(ctx, path, readInShell, versions)
		}
		if err != nil {
			g.stop()
			return nil, err
		}
		all, whole, written, shell = append(all, f.rows), append(whole, f.whole), append(written, f.written), append(shell, time.Since(began))
	}
	rate := func(s samples) float64 { return float64(l.size.versions()) / s.median().Seconds() }
	r.atLeast("feeding the mirror, from the statement that begins it on", rate(all), "rows/s", 1_500_000)
	r.note("from the first statement on, which counts the rows of the file", rate(whole), "rows/s")
	r.note("until the mirror has written them to its file, too", rate(written), "rows/s")
	r.note("sqlite3 shell, reading the same rows and fields / feeding", shell.over(all), "x")
	return g, nil
}

// feeding is how long a table took to be mirrored.
type feeding struct {
	rows    time.Duration // from the statement that begins it until all rows are there
	whole   time.Duration // the same from the first statement on
	written time.Duration // from the first statement until the rows are in the mirror's file
}

// feed has a table mirrored by a gateway that was not asked anything yet.
func (g *gateway) feed(ctx context.Context, table string) (f feeding, err error) {
	first := time.Now()
	if err := g.looked(ctx, table); err != nil {
		return f, err
	}
	began := time.Now()
	if err := g.fed(ctx, table); err != nil {
		return f, err
	}
	f.rows, f.whole = time.Since(began), time.Since(first)
	err = g.mirrored(ctx, table)
	f.written = time.Since(first)
	return f, err
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
		return inShell(ctx, path, newestInShell, fmt.Sprint(l.size.Customers, "|"))
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
	st, err := g.preparedBy(ctx, dialAlone, byKey)
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
	served, err := dialAlone(ctx, pg.DSN)
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
	sqlite, err := bare.preparedBy(ctx, dialAlone, byKey)
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
	insert, err := g.preparedBy(ctx, dialAlone, insertOne)
	if err != nil {
		return err
	}
	defer insert.client.close()
	native, err := l.serveSQLite(ctx, bare)
	if err != nil {
		return err
	}
	defer native.stop()
	sqlite, err := native.preparedBy(ctx, dialAlone, insertOne)
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
