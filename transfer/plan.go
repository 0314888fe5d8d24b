package transfer

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// Conflicts is the policy for records whose identity is stored already.
type Conflicts string

// The policies, the first four with the original's names.
const (
	Update    Conflicts = ""          // update
	Abort     Conflicts = "abort"     // conflict; nothing is imported
	Skip      Conflicts = "skip"      // skip the record
	Upsert    Conflicts = "upsert"    // update
	Overwrite Conflicts = "overwrite" // update; the stored rows that have no record are found too
)

// Precondition must hold for each record; otherwise it is a conflict.
type Precondition struct {
	MustExist    bool
	MustNotExist bool
	// IfCommit, if not nil, is the required commit of the stored version, if there is one
	// (COMPAT 7).
	IfCommit *ontosql.CommitID
}

// Counts counts the records of an import by outcome. Updates include records equal to the
// stored version, for which nothing is written.
type Counts struct {
	Total     int `json:"total_records"`
	Inserts   int `json:"inserts"`
	Updates   int `json:"updates"`
	Skipped   int `json:"skipped"`
	Conflicts int `json:"conflicts"`
	Missing   int `json:"missing,omitempty"` // stored rows without a record; only counted by Overwrite
}

// FindStored looks up the stored versions of the records' identities, among those written
// after a commit, and for the policy Overwrite the identities without a record.
func (r *Records) FindStored(ctx context.Context, src Source, after ontosql.CommitID, policy Conflicts) error {
	types := r.Types()
	if len(types) == 0 {
		return nil
	}
	var key []byte
	for stored, err := range src.Rows(ctx, types, after, src.Pin().Head.Commit) {
		if err != nil {
			return err
		}
		b := r.types[stored.Type]
		key = appendIdentity(key[:0], &stored.Row)
		place, ok := b.places[string(key)]
		if !ok {
			if policy == Overwrite {
				b.missing[string(key)] = Missing{stored.Type, stored.Row.Key, stored.Row.Left, stored.Row.Right, stored.Row.Instance}
			}
			continue
		}
		e := &b.entries[place]
		row, err := b.row(e.offset)
		if err != nil {
			return err
		}
		e.stored, e.same = stored.Commit, sameFields(stored.Fields, row.Fields)
	}
	return nil
}

// Types are the types that have records, in the order of their names.
func (r *Records) Types() []ontosql.TypeRef {
	types := make([]ontosql.TypeRef, 0, len(r.types))
	for _, b := range r.batches() {
		types = append(types, b.typ.Ref)
	}
	return types
}

// Missing is the identity of a stored row that has no record.
type Missing struct {
	Type                       ontosql.TypeRef
	Key, Left, Right, Instance string // as of format.Row
}

// Missing returns what FindStored found without a record, types in the order of their names and
// rows in that of their keys.
func (r *Records) Missing() []Missing {
	var all []Missing
	for _, b := range r.batches() {
		all = append(all, slices.SortedFunc(maps.Values(b.missing), func(a, b Missing) int {
			return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Left, b.Left), cmp.Compare(a.Right, b.Right), cmp.Compare(a.Instance, b.Instance))
		})...)
	}
	return all
}

// sameFields reports whether a stored row has the values of a record. A missing member equals
// null.
func sameFields(stored, given []byte) bool {
	a, errA := format.ParseJSON(stored)
	b, errB := format.ParseJSON(given)
	return errA == nil && errB == nil && containsMembers(a, b) && containsMembers(b, a)
}

// containsMembers reports whether b has the members of a that are not null.
func containsMembers(a, b format.Value) bool {
	for name, v := range a.Members() {
		if w, _ := b.Get(name); !v.Equal(w) {
			return false
		}
	}
	return true
}

// Plan decides the outcome of each record. A plan with conflicts must not be executed.
func (r *Records) Plan(policy Conflicts, pre Precondition) Counts {
	var c Counts
	for _, b := range r.types {
		c.Missing += len(b.missing)
		for i := range b.entries {
			e := &b.entries[i]
			e.write = false
			c.Total++
			switch exists := e.stored > 0; {
			case !pre.holds(e.stored), exists && policy == Abort:
				c.Conflicts++
			case exists && policy == Skip:
				c.Skipped++
			case exists:
				c.Updates++
				e.write = !e.same
			default:
				c.Inserts++
				e.write = true
			}
		}
	}
	return c
}

func (p Precondition) holds(stored ontosql.CommitID) bool {
	switch exists := stored > 0; {
	case exists:
		return !p.MustNotExist && (p.IfCommit == nil || *p.IfCommit == stored)
	default:
		return !p.MustExist
	}
}

// Data returns the rows that the last plan writes. They can be iterated until the Records are
// closed.
func (r *Records) Data() []writepath.Data {
	var all []writepath.Data
	for _, b := range r.batches() {
		some := false
		for i := range b.entries {
			some = some || b.entries[i].write
		}
		if some {
			all = append(all, writepath.Data{
				Type: b.typ.Ref, Fields: b.typ.DataFields(b.typ.SchemaID, b.schema.Fields), SchemaVersion: b.typ.SchemaID, Rows: b.written(),
			})
		}
	}
	return all
}

// written returns the rows to write.
func (b *batch) written() iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		in := bufio.NewReaderSize(io.NewSectionReader(b.rows, 0, b.rows.Size()), 256<<10)
		for i := range b.entries {
			row, err := readRow(in)
			if err != nil {
				yield(writepath.Row{}, err)
				return
			}
			e := &b.entries[i]
			if e.write && !yield(writepath.Row{Row: row, Expected: e.stored}, nil) {
				return
			}
		}
	}
}
