package branch

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/transfer"
)

// joined is an identity that one branch has written since the ancestor, with its row there and in the
// other branch. Rows have the names that fields have in the result.
type joined struct {
	row    *format.Row     // of the first branch: the identity
	bases  []*format.Value // nil where there was no such row
	theirs *format.Value
	ours   *format.Value    // nil if the other branch has no such row
	commit ontosql.CommitID // that wrote ours, 0 for none
}

// unchanged reports whether the row is what it was in an ancestor.
func (j *joined) unchanged() bool {
	return slices.ContainsFunc(j.bases, func(b *format.Value) bool { return sameRow(b, j.theirs) })
}

// join reads what the first branch of an ancestry has written of a type since the ancestor, in the
// order of identities, together with the same rows in the ancestor and in the second branch. The
// states have most rows in common: each is what was written up to the fork, and then what the branch
// has written itself.
type join struct {
	*Ancestry
	bases         []state
	first, second transfer.Source
	temp          string

	result *catalog.Type   // whose field names the rows get, a later version of the second branch's type
	rename [][2]string     // from the names of the first branch to those of result
	only   map[string]bool // fields that are compared; nil for all
}

// layers are what a state consists of; of an identity in several layers the last one counts.
type layers []*layer

// each calls visit for each identity; nothing is read of the other states if there is none.
func (j *join) each(ctx context.Context, ref ontosql.TypeRef, theirs *catalog.Type, visit func(*joined) error) error {
	var hashes []uint64
	seed := maphash.MakeSeed()
	changed, err := transfer.ReadNewest(ctx, j.first, ref, j.InSecond, j.Ancestry.first.Head.Commit, func(row *format.Row) bool {
		hashes = append(hashes, hashOf(seed, row))
		return true
	}, j.temp)
	if err != nil {
		return err
	}
	defer changed.Close()
	if len(hashes) == 0 {
		return nil
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	wanted := func(row *format.Row) bool {
		_, found := slices.BinarySearch(hashes, hashOf(seed, row))
		return found
	}
	var all layers
	defer func() { all.close() }()
	open := func(second bool, lower, upper ontosql.CommitID) (*layer, error) {
		src := j.first
		if second {
			src = j.second
		}
		n, err := transfer.ReadNewest(ctx, src, ref, lower, upper, wanted, j.temp)
		if err != nil {
			return nil, err
		}
		l := newLayer(n, second)
		all = append(all, l)
		return l, nil
	}
	common, err := open(true, 0, j.Fork)
	if err != nil {
		return err
	}
	states := make([]layers, 0, len(j.bases)+1) // the bases, then ours
	for _, s := range append(slices.Clone(j.bases), state{second: true, commit: j.Ancestry.second.Head.Commit}) {
		of := layers{common}
		if s.commit > j.Fork {
			own, err := open(s.second, j.Fork, s.commit)
			if err != nil {
				return err
			}
			of = append(of, own)
		}
		states = append(states, of)
	}
	for row, err := range changed.Rows() {
		if err != nil {
			return err
		}
		for _, l := range all {
			if err := l.seek(row); err != nil {
				return err
			}
		}
		out := &joined{row: row, bases: make([]*format.Value, len(j.bases))}
		if out.theirs, err = j.convert(row, theirs, j.rename); err != nil {
			return err
		}
		for i, of := range states {
			found, second := of.newest()
			if found == nil {
				continue
			}
			typ, rename := j.result, [][2]string(nil)
			if !second {
				typ, rename = theirs, j.rename
			}
			v, err := j.convert(found, typ, rename)
			if err != nil {
				return err
			}
			if i < len(out.bases) {
				out.bases[i] = v
			} else {
				out.ours, out.commit = v, found.Commit
			}
		}
		if err := visit(out); err != nil {
			return err
		}
	}
	return nil
}

// convert parses a row of a type and gives its fields the names of the result.
func (j *join) convert(row *format.Row, typ *catalog.Type, rename [][2]string) (*format.Value, error) {
	v, err := format.ParseJSON(row.Fields)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", typ.Ref, &ontosql.CorruptError{Key: fmt.Sprintf("commit %d", row.Commit), Field: "fields_json", Err: err})
	}
	for _, names := range [][][2]string{typ.Renamed(row.SchemaVersionID), rename} {
		if len(names) > 0 {
			v = v.Renamed(names)
		}
	}
	if j.only == nil {
		return &v, nil
	}
	var members []format.Member
	for name, value := range v.Members() {
		if j.only[name] {
			members = append(members, format.Member{Name: name, Value: value})
		}
	}
	v = format.Object(members...)
	return &v, nil
}

func hashOf(seed maphash.Seed, row *format.Row) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, text := range []string{row.Key, row.Left, row.Right, row.Instance} {
		_, _ = h.WriteString(text) // never fails
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// layer is the rows that some commits of a branch wrote, read beside those of other layers.
type layer struct {
	rows   *transfer.Newest
	second bool
	next   func() (*format.Row, error, bool)
	stop   func()
	row    *format.Row // the next one, nil at the end
	begun  bool
	here   bool // row has the identity of the last seek
}

func newLayer(n *transfer.Newest, second bool) *layer {
	l := &layer{rows: n, second: second}
	l.next, l.stop = iter.Pull2(n.Rows())
	return l
}

// seek goes to the row with an identity, which are asked for in order.
func (l *layer) seek(to *format.Row) (err error) {
	for !l.begun || l.row != nil && transfer.CompareIdentity(l.row, to) < 0 {
		l.begun = true
		if l.row, err, _ = l.next(); err != nil {
			return err
		}
	}
	l.here = l.row != nil && transfer.CompareIdentity(l.row, to) == 0
	return nil
}

// newest is the row of the last seek in the state; nil if there is none.
func (of layers) newest() (row *format.Row, second bool) {
	for _, l := range slices.Backward(of) {
		if l.here {
			return l.row, l.second
		}
	}
	return nil, false
}

func (of layers) close() {
	for _, l := range of {
		l.stop()
		l.rows.Close()
	}
}
