package branch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/transfer"
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

// mergedRows are the rows of a type that a merge writes. Commit of a row is the version in into that
// it replaces.
type mergedRows struct {
	typ  *catalog.Type
	list *transfer.RowList
}

func (m *merge) close() {
	for _, d := range m.data {
		d.list.Close()
	}
}

// plan finds out what the merge does.
func (m *merge) plan(ctx context.Context, theirs *resolver.Pin) error {
	ours, err := m.into.Pins.PinFresh(ctx)
	if err != nil {
		return err
	}
	if m.ancestry, err = relate(theirs, ours); err != nil {
		return err
	}
	if m.ancestry.Fork == 0 && theirs.Head.Commit > 0 && ours.Head.Commit > 0 {
		return ErrUnrelated
	}
	m.done.From, m.done.Base = theirs.Head.Commit, m.ancestry.InSecond
	if err := m.findBases(); err != nil {
		return err
	}
	if m.ancestry.InSecond == theirs.Head.Commit {
		return nil
	}
	m.planTypes()
	if err := m.planSchema(); err != nil {
		return err
	}
	for _, t := range m.types {
		if err := m.planRows(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// findBases pins the states that both branches have.
func (m *merge) findBases() (err error) {
	if m.bases, err = m.ancestry.bases(); err != nil {
		return err
	}
	for _, s := range m.bases {
		pin, err := m.ancestry.pin(s)
		if err != nil {
			return err
		}
		m.pins = append(m.pins, pin)
	}
	return nil
}

// planTypes decides about each type as a whole.
func (m *merge) planTypes() {
	theirs, ours := definitions(m.ancestry.first), definitions(m.ancestry.second)
	refs := maps.Clone(theirs)
	maps.Copy(refs, ours)
	bases := make([]map[ontosql.TypeRef]*definition, len(m.pins))
	for i, pin := range m.pins {
		bases[i] = definitions(pin)
		maps.Copy(refs, bases[i])
	}
	for _, ref := range slices.SortedFunc(maps.Keys(refs), ontosql.TypeRef.Compare) {
		t := &typeMerge{ref: ref, ours: ours[ref], theirs: theirs[ref]}
		for _, b := range bases {
			t.bases = append(t.bases, b[ref])
		}
		a := m.ancestry
		t.theirsAnew, t.theirsRows = sinceAncestor(a.first, ref, a.InSecond)
		t.oursAnew, t.oursRows = sinceAncestor(a.second, ref, a.InFirst)
		if t.decide(m.o.Choice) {
			m.conflict(Conflict{Type: ref, Base: t.bases[0].text(), Ours: t.ours.text(), Theirs: t.theirs.text()})
		}
		m.agreed = m.agreed || sameDefinition(t.ours, t.theirs) && !slices.ContainsFunc(t.bases, func(b *definition) bool { return sameDefinition(b, t.theirs) })
		m.types = append(m.types, t)
	}
}

// sinceAncestor reports whether a branch has dropped a type, and whether it has written rows of it,
// after the commit up to which the other one has it. What merges of the other branch did does not
// count.
func sinceAncestor(pin *resolver.Pin, ref ontosql.TypeRef, since ontosql.CommitID) (anew, rows bool) {
	own := func(id ontosql.CommitID) bool {
		_, merges := pin.View.Commit(id).Manifest.Metadata[format.MetadataMerge]
		return !merges
	}
	if floor := pin.View.Floor(ref); floor > since {
		anew = own(floor)
	}
	for _, f := range pin.View.Files(ref, since, pin.Head.Commit) {
		if own(f.Commit) {
			rows = true
			break
		}
	}
	return anew, rows
}

func (m *merge) conflict(c Conflict) {
	if m.done.Collisions++; len(m.done.Conflicts) < MaxConflicts {
		m.done.Conflicts = append(m.done.Conflicts, c)
	}
}

// planSchema computes the types after the merge.
func (m *merge) planSchema() error {
	for _, t := range m.types {
		if t.define || t.action == createType || t.action == replaceType || t.action == dropType {
			m.done.Types = append(m.done.Types, t.ref)
		}
	}
	ours := m.ancestry.second
	m.catalog = ours.Catalog
	if len(m.done.Types) == 0 {
		return nil
	}
	now := time.Now()
	state := ours.Catalog.State(now, "")
	if err := applyTypes(state, m.types); err != nil {
		return fmt.Errorf("merge the types: %w", err)
	}
	m.catalog, _ = ours.Catalog.Overlay(state.Change(), ours.Head.Commit, now, "merge")
	return nil
}

// planRows finds the rows of a type that the merge writes.
func (m *merge) planRows(ctx context.Context, t *typeMerge) error {
	if t.action == dropType || t.action == leaveType {
		return nil
	}
	result, ok := m.catalog.Type(t.ref)
	if !ok {
		return fmt.Errorf("%s cannot be read after the merge", t.ref)
	}
	d := &mergedRows{typ: result, list: transfer.NewRowList(m.into.Temp)}
	m.data = append(m.data, d)
	if t.action != mergeRows {
		return m.takeAll(ctx, t, d)
	}
	j := &join{Ancestry: m.ancestry, bases: m.bases, first: m.from.source(m.ancestry.first), second: m.into.source(m.ancestry.second), temp: m.into.Temp, result: result}
	after := t.ours
	if t.define {
		after = t.theirs
	}
	if err := j.names(t, after); err != nil {
		return err
	}
	return j.each(ctx, t.ref, t.theirs.typ, func(row *joined) error {
		merged, write, collisions := mergeRow(row.bases, row.ours, row.theirs, m.o.Choice)
		for _, c := range collisions {
			m.conflict(Conflict{
				Type: t.ref, Key: keyOf(t.ref, row.row), Field: c.field,
				Base: jsonOf(c.base), Ours: jsonOf(c.ours), Theirs: jsonOf(c.theirs),
			})
		}
		if !write {
			m.agreed = m.agreed || !row.unchanged()
			return nil
		}
		return m.add(d, row.row, merged, row.commit)
	})
}

// names prepares a join for types whose fields have other names, or are others, after the merge.
func (j *join) names(t *typeMerge, after *definition) error {
	if sameDefinition(t.ours, t.theirs) {
		return nil
	}
	schema, err := after.decode()
	if err != nil {
		return err
	}
	j.only = map[string]bool{}
	for _, f := range schema.Fields {
		j.only[f.Name] = true
	}
	j.rename = renaming(t.theirs, after)
	return nil
}

// takeAll takes all rows of a type that comes as a whole.
func (m *merge) takeAll(ctx context.Context, t *typeMerge, d *mergedRows) error {
	pin := m.ancestry.first
	all, err := transfer.ReadNewest(ctx, m.from.source(pin), t.ref, 0, pin.Head.Commit, nil, m.into.Temp)
	if err != nil {
		return err
	}
	defer all.Close()
	j := &join{}
	for row, err := range all.Rows() {
		if err != nil {
			return err
		}
		v, err := j.convert(row, t.theirs.typ, nil)
		if err != nil {
			return err
		}
		if err := m.add(d, row, v, 0); err != nil {
			return err
		}
	}
	return nil
}

// add adds a row that the merge writes; expected is the commit of the version that it replaces.
func (m *merge) add(d *mergedRows, identity *format.Row, fields *format.Value, expected ontosql.CommitID) error {
	if expected == 0 {
		m.done.Inserted++
	} else {
		m.done.Updated++
	}
	row := *identity
	row.Commit, row.SchemaVersionID, row.Fields = expected, 0, fields.Append(nil, format.Canonical)
	return d.list.Add(&row)
}

// empty reports whether there is nothing to commit. A merge that changes nothing is recorded if both
// branches have changed something to the same value, or if a conflict was decided: else the next merge
// would take that for a conflict.
func (m *merge) empty() bool {
	return m.done.Inserted+m.done.Updated+len(m.done.Types)+m.done.Collisions == 0 && !m.agreed
}

// transaction is the commit of the merge.
func (m *merge) transaction() writepath.Tx {
	from := m.ancestry.first
	metadata := map[string]string{format.MetadataMessage: fmt.Sprintf("merge %s at commit %d", m.from.Address, from.Head.Commit)}
	maps.Copy(metadata, m.o.Metadata)
	tx := writepath.Tx{
		Pin: m.ancestry.second.Head.Commit, Actor: m.o.Actor, Metadata: metadata,
		Merge: &format.Merge{From: m.from.Address, Commit: from.Head.Commit, Digest: from.View.Commit(from.Head.Commit).Digest(), Base: m.done.Base},
	}
	for _, d := range m.data {
		if d.list.Len() == 0 {
			continue
		}
		tx.Data = append(tx.Data, writepath.Data{
			Type: d.typ.Ref, Fields: fieldsIn(d.typ), SchemaVersion: d.typ.SchemaID, Rows: d.written(),
		})
	}
	if len(m.done.Types) == 0 {
		return tx
	}
	tx.Schema = func(state *migration.State) error { return applyTypes(state, m.types) }
	for _, t := range m.types {
		if after, ok := m.catalog.Type(t.ref); ok && t.define && after.SchemaID != t.ours.typ.SchemaID {
			tx.Migrated = append(tx.Migrated, format.Migrated{Type: t.ref, From: t.ours.typ.SchemaID, To: after.SchemaID, Rows: int64(m.rowsOf(t.ref))})
		}
	}
	return tx
}

func (m *merge) rowsOf(ref ontosql.TypeRef) int {
	for _, d := range m.data {
		if d.typ.Ref == ref {
			return d.list.Len()
		}
	}
	return 0
}

// written are the rows for a transaction.
func (d *mergedRows) written() iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		for row, err := range d.list.Rows() {
			expected := row.Commit
			row.Commit = 0
			if !yield(writepath.Row{Row: row, Expected: expected}, err) {
				return
			}
		}
	}
}

// fieldsIn are the fields of the data files of a type.
func fieldsIn(t *catalog.Type) []format.DataField {
	for i := range t.Versions {
		if t.Versions[i].ID == t.SchemaID {
			if schema, err := t.Versions[i].Schema(t.Ref); err == nil {
				return t.DataFields(t.SchemaID, schema.Fields)
			}
		}
	}
	return nil // fields_json has what no column has
}

// keyOf are the texts of the identity of a row.
func keyOf(ref ontosql.TypeRef, row *format.Row) []string {
	texts := row.KeyTexts(ref.Kind)
	if n := len(texts); n == 3 && texts[2] == "" {
		return texts[:2]
	}
	return texts
}

// jsonOf is the text of a value; nil for null.
func jsonOf(v format.Value) json.RawMessage {
	if v.IsNull() {
		return nil
	}
	return v.Append(nil, format.Canonical)
}
