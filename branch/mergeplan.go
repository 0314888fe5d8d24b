package branch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

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
