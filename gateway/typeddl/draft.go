package typeddl

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

// Draft is the schema changes of a transaction that is not committed yet. A Draft is
// immutable: the next change makes another one, so that a savepoint can go back to it. A nil
// Draft has no changes.
type Draft struct {
	Base  *resolver.Pin // the transaction's pin without the changes
	steps []Step
	// DependsOn are the types whose rows the steps depend on. The transaction fails if
	// another commit has written some of them after Base.
	DependsOn []ontosql.TypeRef
	Migrated  []format.Migrated // types that have another schema, or rows written again, because of the steps
}

// Step is one change of a schema. It is applied to the catalog of the
// transaction, and at its commit, under the lock, to the schema as it is then.
type Step func(*migration.State) error

// With is the draft with another step on top of base, which is the pin of the transaction
// where d is nil. dependsOn are types whose rows the step depends on.
func (d *Draft) With(base *resolver.Pin, step Step, dependsOn ...ontosql.TypeRef) *Draft {
	next := &Draft{Base: base}
	if d != nil {
		next = &Draft{Base: d.Base, steps: slices.Clip(d.steps), DependsOn: slices.Clip(d.DependsOn), Migrated: slices.Clone(d.Migrated)}
	}
	next.steps, next.DependsOn = append(next.steps, step), append(next.DependsOn, dependsOn...)
	return next
}

// Overlay is the base with the draft's changes of the catalog. at is when they are made, version
// the version of the changed catalog.
func (d *Draft) Overlay(at time.Time, version string) (*resolver.Pin, error) {
	state := d.Base.Catalog.State(at, "")
	if err := d.Apply(state); err != nil {
		return nil, err
	}
	overlay, warnings := d.Base.Catalog.Overlay(state.Change(), d.Base.Head.Commit, at, d.Base.Catalog.Version+version)
	if len(warnings) > 0 {
		return nil, fmt.Errorf("change the schema: %s", warnings[0])
	}
	drafted := *d.Base
	drafted.Catalog = overlay
	return &drafted, nil
}

// AddMigrated records that the last step migrated a type, and how many rows were written
// again. Several migrations of a type in one transaction count as one; the last of them has
// written all rows.
func (d *Draft) AddMigrated(m format.Migrated) {
	i := slices.IndexFunc(d.Migrated, func(o format.Migrated) bool { return o.Type == m.Type })
	if i < 0 {
		d.Migrated = append(d.Migrated, m)
		return
	}
	d.Migrated[i].To, d.Migrated[i].Rows = m.To, m.Rows
}

// RemoveMigrated removes the record of a type's migration, when the type is dropped.
func (d *Draft) RemoveMigrated(ref ontosql.TypeRef) {
	d.Migrated = slices.DeleteFunc(d.Migrated, func(m format.Migrated) bool { return m.Type == ref })
}

// Apply applies the changes to a schema.
func (d *Draft) Apply(state *migration.State) error {
	for _, step := range d.steps {
		if err := step(state); err != nil {
			return err
		}
	}
	return nil
}

// HasChanges reports whether the draft changes versions or declarations of the schema: its
// steps may cancel each other.
func (d *Draft) HasChanges(at time.Time) (bool, error) {
	if d == nil {
		return false, nil
	}
	state := d.Base.Catalog.State(at, "")
	before, err := format.EncodeSchemaChange(state.Change())
	if err != nil {
		return false, err
	}
	if err := d.Apply(state); err != nil {
		return false, err
	}
	after, err := format.EncodeSchemaChange(state.Change())
	return !bytes.Equal(before, after), err
}
