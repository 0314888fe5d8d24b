package commit_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/commit"
)

// original writes as the original does (COMPAT 4.3): it takes the lock row, works
// out what to write by what it reads then, and writes it in another transaction.
type original struct{ conn *lite.Conn }

func (o *original) run(sql string, args ...any) error {
	return sqlitex.ExecuteTransient(o.conn, sql, &sqlitex.ExecOptions{Args: args})
}

func (o *original) head() (head int64, err error) {
	err = sqlitex.ExecuteTransient(o.conn, "SELECT max(id) FROM commits", &sqlitex.ExecOptions{ResultFunc: func(row *lite.Stmt) error {
		head = row.ColumnInt64(0)
		return nil
	}})
	return head, err
}

// acquire takes the lock row.
func (o *original) acquire() error {
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		now := time.Now().UTC()
		if err := o.run("DELETE FROM locks WHERE lock_name = 'ontology_write' AND expires_at < ?", format.TimeOf(now).String()); err != nil {
			return err
		}
		err := o.run("INSERT INTO locks VALUES ('ontology_write', 'the original', ?, ?)",
			format.TimeOf(now).String(), format.TimeOf(now.Add(30*time.Second)).String())
		if lite.ErrCode(err).ToPrimary() != lite.ResultConstraint || time.Now().After(until) {
			return err
		}
	}
}

// commit writes one row. The error says when somebody came between its reading and
// its writing.
func (o *original) commit(id string) error {
	if err := o.acquire(); err != nil {
		return err
	}
	before, err := o.head()
	if err != nil {
		return err
	}
	time.Sleep(time.Millisecond) // it compares what it has with what is stored
	if err := o.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	now, err := o.head()
	if err == nil && now != before {
		err = fmt.Errorf("the head went from commit %d to %d under the lock", before, now)
	}
	return errors.Join(err,
		o.run("INSERT INTO commits (created_at, metadata_json) VALUES (?, '{\"namespace\": \"test\"}')", format.TimeOf(time.Now()).String()),
		o.run("INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Thing', ?, ?, last_insert_rowid(), 1)",
			id, storedFields(thing, id, 1)),
		o.run("COMMIT"),
		o.run("DELETE FROM locks WHERE lock_name = 'ontology_write' AND owner_id = 'the original'"))
}

// TestWithTheOriginal: two committers and the original write one file at the same time. No
// commit comes between a read and the following write of the original, and nothing is lost.
func TestWithTheOriginal(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	patient := func(o *commit.Options) { o.LockTimeout = time.Minute }
	sites := []*site{openSite(t, path, patient), openSite(t, path, patient)}
	sites[0].must(creates(0, thing))
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetBusyTimeout(time.Minute)

	const each = 40
	var wg sync.WaitGroup
	for i, s := range sites {
		for k := range 3 {
			wg.Go(func() {
				pin := ontosql.CommitID(1)
				for n := range each {
					out, err := s.Commit(t.Context(), writes(pin, fmt.Sprintf("site %d-%d-%d", i, k, n), n, thing))
					if err != nil {
						t.Errorf("site %d: %v", i, err)
						return
					}
					pin = out.Commit
				}
			})
		}
	}
	theirs := &original{conn}
	for n := range each {
		if err := theirs.commit(fmt.Sprint("original ", n)); err != nil {
			t.Fatalf("the original: %v", err)
		}
	}
	wg.Wait()
	sqlitetest.Told(t, "commits and rows", sqlitetest.Ask(t, path, "SELECT (SELECT count(*) FROM commits), (SELECT max(id) FROM commits), count(*), count(DISTINCT entity_key) FROM entity_history"),
		fmt.Sprintf("%d|%[1]d|%d|%[2]d", 1+7*each, 7*each))
	sqlitetest.Sound(t, path)
}
