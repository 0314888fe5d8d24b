package sqlite

import (
	"encoding/json"
	"maps"
	"slices"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/codec"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// commitLog has the commits of the file and the row ids of their rows.
type commitLog struct {
	view       *chain.View
	tip        commitRow
	rowRuns    map[ontosql.TypeRef][]rowRun // by ascending commits
	lastRowIDs map[ontosql.Kind]int64       // greatest row id of each kind
	// stray is set if rows name a commit above the head, so that new rows cannot be
	// recognised.
	orphanRows bool
	warnings   []string
}

// commitRow is the newest row of commits as it is stored.
type commitRow struct {
	id                  ontosql.CommitID
	createdAt, metadata string
}

// rowRun is the rows of one commit and type: count rows with ids from first to last, usually
// all rows of that range.
type rowRun struct {
	commit                    ontosql.CommitID
	first, last               int64
	count                     int64
	firstVersion, lastVersion int64 // schema version of the first and the last row, 0 for none
}

// version returns the schema version of all rows; 0 if it is unknown or they differ.
func (r *rowRun) version() int64 {
	if r.firstVersion != r.lastVersion {
		return 0
	}
	return r.firstVersion
}

// extend returns r extended by later rows.
func (r rowRun) extend(more rowRun) rowRun {
	r.last, r.lastVersion, r.count = more.last, more.lastVersion, r.count+more.count
	return r
}

// readCommitLog reads the commits and rows that known lacks. If known is no longer a prefix of
// the file's history, everything is read again.
func readCommitLog(c *conn, t dbschema.Tables, known *commitLog) (*commitLog, error) {
	if known != nil {
		same, err := known.isPrefix(c, t)
		if err != nil {
			return nil, err
		}
		if !same || known.orphanRows {
			known = nil
		}
	}
	if known == nil {
		found, err := countRows(c, t)
		if err != nil {
			return nil, err
		}
		empty, err := chain.Extend(nil, nil)
		if err != nil {
			return nil, err
		}
		return readCommits(c, t, &commitLog{view: empty}, 0, found)
	}
	found, err := countNewRows(c, t, known)
	if err != nil {
		return nil, err
	}
	// The original runs a migration in several transactions (COMPAT 4.3): rows may be added to
	// an existing commit.
	base := known.tip.id
	for _, runs := range found.runs {
		for commit := range runs {
			base = min(base, commit-1)
		}
	}
	return readCommits(c, t, known, max(base, 0), found)
}

// isPrefix reports whether the newest commit of p is still in the file, unchanged.
func (p *commitLog) isPrefix(c *conn, t dbschema.Tables) (bool, error) {
	if p.tip.id == 0 {
		return true, nil
	}
	same := false
	err := eachCommit(c, t, "id = ?", p.tip.id, func(now commitRow) error {
		same = now == p.tip
		return nil
	})
	return same, err
}

func eachCommit(c *conn, t dbschema.Tables, where string, id ontosql.CommitID, visit func(commitRow) error) error {
	sql := "SELECT id, created_at, " + t.Column("commits", "metadata_json", "NULL") + " FROM commits WHERE " + where + " ORDER BY id"
	return sqlconn.Each(c.Conn, sql, func(row *lite.Stmt) error {
		return visit(commitRow{ontosql.CommitID(row.ColumnInt64(0)), row.ColumnText(1), row.ColumnText(2)})
	}, id)
}

// readCommits returns known up to the commit base, followed by the later commits, with the
// rows found for them added to known's.
func readCommits(c *conn, t dbschema.Tables, known *commitLog, base ontosql.CommitID, found *rowCounts) (*commitLog, error) {
	p := &commitLog{view: known.view, tip: known.tip, rowRuns: maps.Clone(known.rowRuns), lastRowIDs: found.lastRowIDs}
	if p.rowRuns == nil {
		p.rowRuns = map[ontosql.TypeRef][]rowRun{}
	}
	rows := p.addRows(found, base)
	b := chainBuilder{commitLog: p, rows: rows, before: known.view.Commit(base), warnings: warnings{known.warnings}}
	err := eachCommit(c, t, "id > ?", base, b.add)
	if err != nil {
		return nil, err
	}
	if p.view, err = chain.Extend(known.view, b.entries); err != nil {
		return nil, err
	}
	for _, commit := range slices.Sorted(maps.Keys(rows)) {
		if commit > p.tip.id || commit < 1 {
			p.orphanRows = p.orphanRows || commit > p.tip.id
			b.warn("rows of commit %d are not shown: there is no such commit", commit)
		}
	}
	p.warnings = b.texts
	return p, nil
}

// addRows adds the rows that were found to p.runs, and returns the rows of the commits after
// base.
func (p *commitLog) addRows(found *rowCounts, base ontosql.CommitID) map[ontosql.CommitID][]codec.TypeRows {
	after := map[ontosql.CommitID][]codec.TypeRows{}
	refs := slices.Collect(maps.Keys(found.runs))
	for ref, runs := range p.rowRuns {
		if n := len(runs); n > 0 && runs[n-1].commit > base && found.runs[ref] == nil {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, ontosql.TypeRef.Compare)
	for _, ref := range refs {
		runs := p.rowRuns[ref]
		keep, _ := slices.BinarySearchFunc(runs, base+1, func(r rowRun, c ontosql.CommitID) int { return int(r.commit - c) })
		fresh := found.runs[ref]
		for _, r := range runs[keep:] {
			if more := fresh[r.commit]; more != nil {
				r = r.extend(*more)
			}
			if fresh == nil {
				fresh = map[ontosql.CommitID]*rowRun{}
			}
			fresh[r.commit] = &r
		}
		if keep < len(runs) {
			runs = runs[:keep:keep] // the slice may be shared with another state
		}
		for _, commit := range slices.Sorted(maps.Keys(fresh)) {
			r := fresh[commit]
			after[commit] = append(after[commit], codec.TypeRows{Ref: ref, Count: r.count, SchemaVersion: r.version()})
			if commit > 0 {
				runs = append(runs, *r)
			}
		}
		p.rowRuns[ref] = runs
	}
	return after
}

// chainBuilder builds the chain's entries of commits, with placeholders for missing ones.
type chainBuilder struct {
	*commitLog
	rows    map[ontosql.CommitID][]codec.TypeRows
	before  *chain.Entry
	entries []*chain.Entry
	warnings
}

// maxMissingCommits bounds a gap of missing commits: each has an entry in the chain.
const maxMissingCommits = 100_000

// add adds the commit of a row.
func (b *chainBuilder) add(row commitRow) error {
	next := ontosql.CommitID(1)
	if b.before != nil {
		next = b.before.ID + 1
	}
	switch missing := row.id - next; {
	case missing > maxMissingCommits:
		return ontosql.Corrupt("commits", "id", "%d stands where %d must", row.id, next)
	case missing == 1:
		b.warn("commit %d is missing", next)
	case missing > 1:
		b.warn("commits %d to %d are missing", next, row.id-1)
	}
	for ; next < row.id; next++ {
		if err := b.append(commitRow{id: next}, b.previousTime(), nil); err != nil {
			return err
		}
	}
	created, err := format.ParseTime(row.createdAt)
	if err != nil {
		b.warn("created_at of commit %d is no time", row.id)
		created = b.previousTime()
	}
	metadata, err := codec.DecodeMetadata(row.metadata)
	if err != nil {
		b.warn("metadata_json of commit %d cannot be read: %v", row.id, err)
	}
	b.tip = row
	return b.append(row, created, metadata)
}

// previousTime returns created_at of the previous commit.
func (b *chainBuilder) previousTime() format.Time {
	if b.before == nil {
		return format.Time{}
	}
	return b.before.Manifest.CreatedAt
}

func (b *chainBuilder) append(row commitRow, created format.Time, metadata map[string]json.RawMessage) error {
	rows := b.rows[row.id]
	m := &format.Manifest{CommitID: row.id, CreatedAt: created, Metadata: metadata, Files: codec.Files(rows)}
	parent := ""
	if b.before != nil {
		parent = b.before.Path
		m.ParentCommitID, m.ParentManifestPath = &b.before.ID, &b.before.Path
	}
	e, err := chain.NewEntry(codec.CommitPath(parent, row.id, row.createdAt, row.metadata, rows), m)
	if err != nil {
		return err
	}
	b.before, b.entries = e, append(b.entries, e)
	return nil
}
