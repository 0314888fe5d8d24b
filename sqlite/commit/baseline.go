package commit

import (
	"fmt"
	"slices"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/codec"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// baseline is the file's history that new transactions are checked against: a view of the
// chain, and the Committer's own commits after it. It is valid while no other connection
// writes.
type baseline struct {
	version int64 // PRAGMA data_version of the writer; 0 if nothing is cached
	view    *chain.View
	own     []*commitRecord // commits of this Committer after view, ascending
	engine  string
	types   map[ontosql.TypeRef]*writtenType // types written since the last schema change
	catalog string                           // catalog.Catalog.Version; "" after a schema change

	// cleanAt is PRAGMA data_version in our last committed transaction. While it stays the
	// same, the tables need no upgrade, no other writer holds the lock, and the head is our
	// last commit, made at headTime. 0 where all that has to be checked.
	cleanAt  int64
	headTime time.Time
}

// writtenType caches how the rows of a type are written.
type writtenType struct {
	version int64 // its schema version
	encoder *codec.FieldsEncoder
}

// maxOwnCommits bounds own; beyond it a new view is read.
const maxOwnCommits = 4096

// commitRecord is the part of a commit that later transactions are checked against.
type commitRecord struct {
	id           ontosql.CommitID
	path         string
	types        map[ontosql.TypeRef]bool // types with rows in the commit
	schemaChange *format.SchemaChange     // nil for none
	tags         format.Tags              // those after the commit, nil if it does not change them
}

// head returns the last commit and its path in the chain.
func (k *baseline) head() (ontosql.CommitID, string) {
	if n := len(k.own); n > 0 {
		return k.own[n-1].id, k.own[n-1].path
	}
	head := k.view.Head()
	return head.Commit, head.ManifestPath
}

// commitsAfter returns the commits after pin, ascending.
func (k *baseline) commitsAfter(pin ontosql.CommitID) ([]*commitRecord, error) {
	var all []*commitRecord
	for id := pin + 1; id <= k.view.Head().Commit; id++ {
		e := k.view.Commit(id)
		change, err := e.Manifest.SchemaChange(e.Path)
		if err != nil {
			return nil, err
		}
		l := &commitRecord{id: id, path: e.Path, types: map[ontosql.TypeRef]bool{}, schemaChange: change}
		for i := range e.Manifest.Files {
			l.types[e.Manifest.Files[i].Ref()] = true
		}
		all = append(all, l)
	}
	i, _ := slices.BinarySearchFunc(k.own, pin+1, func(l *commitRecord, id ontosql.CommitID) int { return int(l.id - id) })
	return append(all, k.own[i:]...), nil
}

// droppedAt returns the last commit in the view that dropped a type; later drops are in their
// commitRecord.
func (k *baseline) droppedAt(ref ontosql.TypeRef) ontosql.CommitID { return k.view.Floor(ref) }

// lastSchemaChange returns the newest schema change and its commit, nil and 0 for none.
func (k *baseline) lastSchemaChange() (*format.SchemaChange, ontosql.CommitID, error) {
	for _, l := range slices.Backward(k.own) {
		if l.schemaChange != nil {
			return l.schemaChange, l.id, nil
		}
	}
	return k.view.LastSchemaChange(k.view.Head().Commit)
}

// tags returns the tags at the head.
func (k *baseline) tags() (format.Tags, error) {
	for _, l := range slices.Backward(k.own) {
		if l.tags != nil {
			return l.tags, nil
		}
	}
	return k.view.Tags()
}

// lastCommit returns the last commit of the file, 0 for none, and its created_at.
func lastCommit(w *sqlconn.Writer) (id ontosql.CommitID, at time.Time, err error) {
	err = w.Each("SELECT id, created_at FROM commits ORDER BY id DESC LIMIT 1", func(row *lite.Stmt) error {
		id = ontosql.CommitID(row.ColumnInt64(0))
		created, _ := format.ParseTime(row.ColumnText(1)) // an invalid time is ignored
		at = created.Time
		return nil
	})
	return id, at, err
}

// refreshBaseline updates the baseline to the file's state, in a write transaction with the
// given PRAGMA data_version.
func (c *Committer) refreshBaseline(version int64) error {
	head, at, err := lastCommit(c.writer)
	if err != nil {
		return err
	}
	if k := &c.baseline; k.version == version && len(k.own) < maxOwnCommits && k.catalog != "" {
		if known, _ := k.head(); known == head {
			k.headTime = at
			return nil
		}
	}
	// No other connection commits during the write transaction, and reading connections see
	// what was committed before.
	pin, err := c.o.DB.PinFresh(c.queue.Context())
	if err != nil {
		return err
	}
	if pin.Head.Commit != head {
		return fmt.Errorf("%w: a reader sees commit %d and a writer commit %d", ontosql.ErrStorage, pin.Head.Commit, head)
	}
	engine, err := dbschema.EngineOf(c.writer)
	if err != nil {
		return err
	}
	c.baseline = baseline{
		version: version, view: pin.View, engine: engine, headTime: at,
		types: map[ontosql.TypeRef]*writtenType{}, catalog: pin.Catalog.Version,
	}
	return nil
}
