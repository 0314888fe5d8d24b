package branch

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// Committer commits to the branch that is merged into; *writepath.Committer and sqlite/commit's do.
type Committer interface {
	Commit(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error)
	// Reserve holds the write lock until the reservation is released.
	Reserve(ctx context.Context, lockTimeout time.Duration) (*writepath.Reservation, error)
}

// MergeOptions are the options of Merge.
type MergeOptions struct {
	At       *ontosql.CommitID // merge up to this commit; nil is the newest one
	DryRun   bool              // only find out what would be merged
	Choice   Choice            // what becomes of conflicts
	Actor    string            // of the commit, "" for none
	Metadata map[string]string // of the commit
}

// Merged is the result of a merge.
type Merged struct {
	From     ontosql.CommitID // up to which the branch was merged
	Base     ontosql.CommitID // of the branch, up to which the other one had it before
	Commit   ontosql.CommitID // the commit of the merge, 0 if there was nothing to merge or nothing was committed
	Inserted int              // rows that are new
	Updated  int
	Types    []ontosql.TypeRef // that were created, dropped or changed
	// Conflicts are the first MaxConflicts of the fields and types that both branches changed to
	// different values, in the order of types and keys; Collisions is the number of all.
	Conflicts  []Conflict
	Collisions int
}

// MaxConflicts is the number of conflicts that a result lists.
const MaxConflicts = 10_000

// Conflict is a field, or a type as a whole, that both branches have changed to different values.
// Values are JSON; nil where there is none.
type Conflict struct {
	Type               ontosql.TypeRef
	Key                []string // nil for the type as a whole, whose values are schemas
	Field              string   // "" for the type as a whole
	Base, Ours, Theirs json.RawMessage
}

// ErrConflicts is returned with the result if a merge has conflicts and no choice. Nothing was
// committed.
var ErrConflicts = errors.New("both branches changed the same values")

// optimistic is how often a merge is tried beside other writers. Then it holds the write lock.
const optimistic = 3

// Merge brings into a branch what another one has changed since their common ancestor, in one commit
// that records both parents. Rows are merged by identity and field: what one side alone has changed is
// taken, what both changed to the same values stays, and what collides is a conflict. Types are merged
// by the same rule. Merged again, nothing changes: the next merge begins where the last one ended, in
// either direction. Tags and events are not merged.
//
// Both branches may go on: from is pinned, and the rows that the merge writes must not be written by
// another commit between the pin of into and the merge; else it is computed again.
//
// Errors: ErrConflicts, ErrUnrelated, ErrOtherKind, *UnknownCommitError, those of the schema change
// (catalog/migration) and of the committer.
func Merge(ctx context.Context, from, into *Store, committer Committer, o MergeOptions) (*Merged, error) {
	if (from.DB == nil) != (into.DB == nil) {
		return nil, ErrOtherKind
	}
	theirs, err := from.pinAt(ctx, o.At)
	if err != nil {
		return nil, err
	}
	try := func(r *writepath.Reservation) (*Merged, error) {
		m := &merge{from: from, into: into, o: o}
		defer m.close()
		if err := m.plan(ctx, theirs); err != nil {
			return nil, err
		}
		switch {
		case m.done.Collisions > 0 && o.Choice == Ask:
			return &m.done, ErrConflicts
		case o.DryRun || m.empty():
			return &m.done, nil
		}
		tx := m.transaction()
		tx.Reservation = r
		outcome, err := committer.Commit(ctx, tx)
		m.done.Commit = outcome.Commit
		return &m.done, err
	}
	for range optimistic {
		done, err := try(nil)
		if !overtaken(err) {
			return done, err
		}
	}
	r, err := committer.Reserve(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return try(r)
}

// overtaken reports whether a merge was refused because of a commit that came before it.
func overtaken(err error) bool {
	var row *writepath.ConflictError
	var schema *writepath.SchemaChangedError
	var read *writepath.ReadConflictError
	return errors.As(err, &row) || errors.As(err, &schema) || errors.As(err, &read)
}

// merge is one attempt: what is merged into one pin.
type merge struct {
	from, into *Store
	o          MergeOptions

	ancestry *Ancestry // of from and into
	bases    []state
	pins     []*resolver.Pin // of bases
	catalog  *catalog.Catalog
	types    []*typeMerge
	data     []*mergedRows
	agreed   bool // both branches have changed something to the same value
	done     Merged
}

func (m *merge) close() {
	for _, d := range m.data {
		d.list.Close()
	}
}

func (m *merge) conflict(c Conflict) {
	if m.done.Collisions++; len(m.done.Conflicts) < MaxConflicts {
		m.done.Conflicts = append(m.done.Conflicts, c)
	}
}

// empty reports whether there is nothing to commit. A merge that changes nothing is recorded if both
// branches have changed something to the same value, or if a conflict was decided: else the next merge
// would take that for a conflict.
func (m *merge) empty() bool {
	return m.done.Inserted+m.done.Updated+len(m.done.Types)+m.done.Collisions == 0 && !m.agreed
}
