package sqlite

import (
	"fmt"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// rowCounts counts rows of the history tables by type and commit.
type rowCounts struct {
	runs       map[ontosql.TypeRef]map[ontosql.CommitID]*rowRun
	lastRowIDs map[ontosql.Kind]int64
}

func newRowCounts() *rowCounts {
	return &rowCounts{runs: map[ontosql.TypeRef]map[ontosql.CommitID]*rowRun{}, lastRowIDs: map[ontosql.Kind]int64{}}
}

// runsOf returns the runs of a type.
func (f *rowCounts) runsOf(ref ontosql.TypeRef) map[ontosql.CommitID]*rowRun {
	runs := f.runs[ref]
	if runs == nil {
		runs = map[ontosql.CommitID]*rowRun{}
		f.runs[ref] = runs
	}
	return runs
}

// countRows counts all rows of the file. It reads the index of identities, which is much
// smaller than the table.
func countRows(c *conn, t dbschema.Tables) (*rowCounts, error) {
	f := newRowCounts()
	for _, h := range t.Histories() {
		if err := f.scan(c, h); err != nil {
			return nil, fmt.Errorf("count rows of %s: %w", h.Table, err)
		}
	}
	return f, nil
}

func (f *rowCounts) scan(c *conn, h dbschema.History) error {
	if f.scanIndex(c, h) != nil {
		for ref := range f.runs {
			if ref.Kind == h.Kind {
				delete(f.runs, ref)
			}
		}
		if err := f.scanRows(c, h); err != nil {
			return err
		}
	}
	for ref, runs := range f.runs {
		if ref.Kind != h.Kind {
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

// countRows counts the rows of a history by a statement.
func (f *rowCounts) scanRows(c *conn, h dbschema.History) error {
	count, scratch := f.counter(h), make([]byte, 256)
	err := sqlconn.Each(c.Conn, fmt.Sprintf("SELECT %s, commit_id, id FROM %s", h.TypeColumn, h.Table), func(row *lite.Stmt) error {
		for row.ColumnLen(0) > len(scratch) {
			scratch = make([]byte, 2*len(scratch))
		}
		count.add(scratch[:row.ColumnBytes(0, scratch)], ontosql.CommitID(row.ColumnInt64(1)), row.ColumnInt64(2))
		return nil
	})
	f.lastRowIDs[h.Kind] = count.last
	return err
}

// counter counts rows of a history.
type counter struct {
	*rowCounts
	kind ontosql.Kind
	name []byte // type name of runs
	runs map[ontosql.CommitID]*rowRun
	near [256]*rowRun // cache of runs, by the low bits of the commit
	last int64
}

func (f *rowCounts) counter(h dbschema.History) *counter { return &counter{rowCounts: f, kind: h.Kind} }

func (c *counter) add(name []byte, commit ontosql.CommitID, id int64) {
	if c.runs == nil || string(name) != string(c.name) {
		c.name = append(c.name[:0], name...)
		c.runs = c.runsOf(ontosql.TypeRef{Kind: c.kind, Name: string(name)})
		clear(c.near[:])
	}
	c.last = max(c.last, id)
	near := &c.near[uint64(commit)%uint64(len(c.near))]
	if *near == nil || (*near).commit != commit {
		if *near = c.runs[commit]; *near == nil {
			*near = &rowRun{commit: commit, first: id, last: id}
			c.runs[commit] = *near
		}
	}
	r := *near
	r.first, r.last, r.count = min(r.first, id), max(r.last, id), r.count+1
}

// readVersions reads the schema versions of the first and the last row.
func (r *rowRun) readVersions(c *conn, h dbschema.History) error {
	sql := fmt.Sprintf("SELECT id, %s FROM %s WHERE id IN (?, ?)", h.VersionColumn, h.Table)
	return sqlconn.Each(c.Conn, sql, func(row *lite.Stmt) error {
		id, version := row.ColumnInt64(0), row.ColumnInt64(1)
		if id == r.first {
			r.firstVersion = version
		}
		if id == r.last {
			r.lastVersion = version
		}
		return nil
	}, r.first, r.last)
}

// countNewRows counts the rows added after those in known.
func countNewRows(c *conn, t dbschema.Tables, known *commitLog) (*rowCounts, error) {
	f := newRowCounts()
	for _, h := range t.Histories() {
		after := known.lastRowIDs[h.Kind]
		f.lastRowIDs[h.Kind] = after
		sql := fmt.Sprintf("SELECT id, %s, commit_id, %s FROM %s WHERE id > ? ORDER BY id", h.TypeColumn, h.VersionColumn, h.Table)
		err := sqlconn.Each(c.Conn, sql, func(row *lite.Stmt) error {
			id, commit := row.ColumnInt64(0), ontosql.CommitID(row.ColumnInt64(2))
			one := rowRun{commit: commit, first: id, last: id, count: 1, firstVersion: row.ColumnInt64(3), lastVersion: row.ColumnInt64(3)}
			runs := f.runsOf(ontosql.TypeRef{Kind: h.Kind, Name: row.ColumnText(1)})
			if r := runs[commit]; r != nil {
				*r = r.extend(one)
			} else {
				runs[commit] = &one
			}
			f.lastRowIDs[h.Kind] = id
			return nil
		}, after)
		if err != nil {
			return nil, fmt.Errorf("count new rows of %s: %w", h.Table, err)
		}
	}
	return f, nil
}
