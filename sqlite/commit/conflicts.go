package commit

import (
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/writepath"
)

// check checks a transaction against the commits after its pin, including those of its own
// group before it.
func (t *transaction) check(p *pending) error {
	if p.catalog != "" {
		return t.checkInsert(p)
	}
	head, _ := t.baseline.head()
	if p.Pin > head {
		return fmt.Errorf("the transaction read commit %d and the head is commit %d: %w", p.Pin, head, ontosql.ErrHeadMoved)
	}
	if p.ExpectHead != nil && *p.ExpectHead != head {
		return &writepath.HeadConflictError{Expected: *p.ExpectHead, Actual: head}
	}
	since, err := t.baseline.commitsAfter(p.Pin)
	if err != nil {
		return err
	}
	conflicts, err := t.conflicts(p, since)
	if err != nil {
		return err
	}
	for _, l := range since {
		if err := p.readBefore(l); err != nil {
			return err
		}
		for _, d := range p.data {
			if l.schemaChange.DropOf(d.Type) != nil {
				return &writepath.SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion}
			}
			if actual, touched := l.schemaChange.VersionAfter(d.Type); touched && actual != d.SchemaVersion {
				return &writepath.SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion, Actual: actual}
			}
			if c := conflicts[d.Type]; c != nil && c.Actual == l.id {
				return c
			}
		}
	}
	for _, d := range p.data {
		if t.baseline.droppedAt(d.Type) > p.Pin {
			return &writepath.SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion}
		}
	}
	return nil
}

// checkInsert checks an Insert against the catalog and against all stored rows (of a recreated
// type, those after the drop).
func (t *transaction) checkInsert(p *pending) error {
	if p.catalog != t.baseline.catalog {
		return fmt.Errorf("the rows were made by another catalog: %w", ontosql.ErrHeadMoved)
	}
	for _, d := range p.data {
		c, err := t.conflict(p, d, t.baseline.droppedAt(d.Type)-1)
		if err != nil {
			return err
		}
		if c != nil {
			return c
		}
	}
	return nil
}

// readBefore returns an error if the transaction depends on what the commit l wrote.
func (p *pending) readBefore(l *commitRecord) error {
	if p.ReadsHead {
		return &writepath.ReadConflictError{Pin: p.Pin, Actual: l.id}
	}
	for _, ref := range p.Reads {
		if _, altered := l.schemaChange.VersionAfter(ref); altered || l.types[ref] {
			return &writepath.ReadConflictError{Type: ref, Pin: p.Pin, Actual: l.id, Altered: altered}
		}
	}
	return nil
}

// conflicts finds, for each type, the first commit after the pin that wrote one of the
// transaction's identities, and the least such identity.
func (t *transaction) conflicts(p *pending, since []*commitRecord) (map[ontosql.TypeRef]*writepath.ConflictError, error) {
	found := map[ontosql.TypeRef]*writepath.ConflictError{}
	for _, d := range p.data {
		touched := false
		for _, l := range since {
			touched = touched || l.types[d.Type]
		}
		if !touched {
			continue
		}
		c, err := t.conflict(p, d, p.Pin)
		if err != nil {
			return nil, err
		}
		if c != nil {
			found[d.Type] = c
		}
	}
	return found, nil
}

// conflict finds the first later commit that wrote an identity of these rows, and the least
// such identity; nil for none.
func (t *transaction) conflict(p *pending, d *prepared, after ontosql.CommitID) (first *writepath.ConflictError, err error) {
	err = d.each(p.Context(), func(row *writepath.Row) error {
		actual, found, err := t.writtenAfter(d.Type, row, after)
		if err != nil || !found {
			return err
		}
		key := writepath.Identity(d.Type.Kind, &row.Row)
		if first == nil || actual < first.Actual || actual == first.Actual && key < first.Key {
			first = &writepath.ConflictError{Type: d.Type, Key: key, Expected: row.Expected, Actual: actual}
		}
		return nil
	})
	return first, err
}

// writtenAfter returns the first later commit that wrote the identity of a row.
func (t *transaction) writtenAfter(ref ontosql.TypeRef, row *writepath.Row, after ontosql.CommitID) (ontosql.CommitID, bool, error) {
	var id int64
	var found bool
	var err error
	if ref.Kind == ontosql.Relation {
		id, found, err = t.w.Int64(`SELECT min(commit_id) FROM relation_history
			WHERE relation_type = ? AND left_key = ? AND right_key = ? AND instance_key = ? AND commit_id > ?`,
			ref.Name, row.Left, row.Right, row.Instance, after)
	} else {
		id, found, err = t.w.Int64("SELECT min(commit_id) FROM entity_history WHERE entity_type = ? AND entity_key = ? AND commit_id > ?",
			ref.Name, row.Key, after)
	}
	return ontosql.CommitID(id), found, err
}
