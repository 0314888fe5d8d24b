package sqlite

import (
	"fmt"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
)

// found are rows that were found, counted by type and commit.
type found struct {
	runs map[ontosql.TypeRef]map[ontosql.CommitID]*run
	last map[ontosql.Kind]int64
}

func newFound() *found {
	return &found{runs: map[ontosql.TypeRef]map[ontosql.CommitID]*run{}, last: map[ontosql.Kind]int64{}}
}

// of are the runs of a type.
func (f *found) of(ref ontosql.TypeRef) map[ontosql.CommitID]*run {
	runs := f.runs[ref]
	if runs == nil {
		runs = map[ontosql.CommitID]*run{}
		f.runs[ref] = runs
	}
	return runs
}

// scanRows counts all rows of the file. It goes through the index of identities,
// which is a fraction of the rows.
func scanRows(c *conn, t tables) (*found, error) {
	f := newFound()
	for _, h := range t.histories() {
		if err := f.scan(c, h); err != nil {
			return nil, fmt.Errorf("count rows of %s: %w", h.table, err)
		}
	}
	return f, nil
}

func (f *found) scan(c *conn, h history) error {
	var (
		name    = make([]byte, 0, 64) // of the type that runs is of
		runs    map[ontosql.CommitID]*run
		r       *run
		last    int64
		scratch = make([]byte, 256)
	)
	err := each(c.Conn, fmt.Sprintf("SELECT %s, commit_id, id FROM %s", h.of, h.table), func(row *lite.Stmt) error {
		for row.ColumnLen(0) > len(scratch) {
			scratch = make([]byte, 2*len(scratch))
		}
		if text := scratch[:row.ColumnBytes(0, scratch)]; runs == nil || string(text) != string(name) {
			name = append(name[:0], text...)
			runs, r = f.of(ontosql.TypeRef{Kind: h.kind, Name: string(name)}), nil
		}
		commit, id := ontosql.CommitID(row.ColumnInt64(1)), row.ColumnInt64(2)
		last = max(last, id)
		if r == nil || r.commit != commit {
			if r = runs[commit]; r == nil {
				r = &run{commit: commit, first: id, last: id}
				runs[commit] = r
			}
		}
		r.first, r.last, r.n = min(r.first, id), max(r.last, id), r.n+1
		return nil
	})
	if err != nil {
		return err
	}
	f.last[h.kind] = last
	for ref, runs := range f.runs {
		if ref.Kind != h.kind {
			continue
		}
		for _, r := range runs {
			if err := r.readVersions(c, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// readVersions reads the schema versions of the first and the last row.
func (r *run) readVersions(c *conn, h history) error {
	sql := fmt.Sprintf("SELECT id, %s FROM %s WHERE id IN (?, ?)", h.version, h.table)
	return each(c.Conn, sql, func(row *lite.Stmt) error {
		id, version := row.ColumnInt64(0), row.ColumnInt64(1)
		if id == r.first {
			r.begun = version
		}
		if id == r.last {
			r.ended = version
		}
		return nil
	}, r.first, r.last)
}

// newRows counts the rows that came after those that known has.
func newRows(c *conn, t tables, known *past) (*found, error) {
	f := newFound()
	for _, h := range t.histories() {
		after := known.last[h.kind]
		f.last[h.kind] = after
		sql := fmt.Sprintf("SELECT id, %s, commit_id, %s FROM %s WHERE id > ? ORDER BY id", h.of, h.version, h.table)
		err := each(c.Conn, sql, func(row *lite.Stmt) error {
			id, commit := row.ColumnInt64(0), ontosql.CommitID(row.ColumnInt64(2))
			one := run{commit: commit, first: id, last: id, n: 1, begun: row.ColumnInt64(3), ended: row.ColumnInt64(3)}
			runs := f.of(ontosql.TypeRef{Kind: h.kind, Name: row.ColumnText(1)})
			if r := runs[commit]; r != nil {
				*r = r.with(one)
			} else {
				runs[commit] = &one
			}
			f.last[h.kind] = id
			return nil
		}, after)
		if err != nil {
			return nil, fmt.Errorf("count new rows of %s: %w", h.table, err)
		}
	}
	return f, nil
}
