package gateway

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/resolver"
)

// schemaDraft is what a transaction has changed of the schema and not committed
// yet. It is never changed itself: the next change makes another one, so that a
// savepoint can go back to it.
type schemaDraft struct {
	base  *resolver.Pin // the transaction's pin without it
	steps []schemaStep
	// hangs are the types whose rows the steps depend on: a commit that wrote some
	// of them after base makes the transaction void.
	hangs    []ontosql.TypeRef
	migrated []format.Migrated // types that have another schema, or rows written again, because of the steps
}

// schemaStep is one change of a schema. It is applied to the catalog of the
// transaction, and at its commit, under the lock, to the schema as it is then.
type schemaStep func(*migration.State) error

// change adds a step to the transaction's schema: from now on its statements see
// the catalog with it.
func (s *Session) change(ctx context.Context, step schemaStep, hangs ...ontosql.TypeRef) error {
	pin, err := s.pin(ctx)
	if err != nil {
		return err
	}
	next := &schemaDraft{base: pin}
	if d := s.tx.schema; d != nil {
		next = &schemaDraft{base: d.base, steps: slices.Clip(d.steps), hangs: slices.Clip(d.hangs), migrated: slices.Clone(d.migrated)}
	}
	next.steps, next.hangs = append(next.steps, step), append(next.hangs, hangs...)
	at := s.txStarted()
	state := next.base.Catalog.State(at, "")
	if err := next.apply(state); err != nil {
		return err
	}
	overlay, warnings := next.base.Catalog.Overlay(state.Change(), next.base.Head.Commit, at, fmt.Sprintf("%s+%d.%d", next.base.Catalog.Version, s.serial, s.drafts))
	if len(warnings) > 0 {
		return fmt.Errorf("change the schema: %s", warnings[0])
	}
	s.drafts++
	s.tx.schema = next
	drafted := *next.base
	drafted.Catalog = overlay
	s.tx.pin = &drafted
	return nil
}

// rewrote takes down that the last step migrated a type and how many of its rows were
// written again. Several migrations of a type in one transaction are one, of which
// the last has written all rows.
func (d *schemaDraft) rewrote(m format.Migrated) {
	i := slices.IndexFunc(d.migrated, func(o format.Migrated) bool { return o.Type == m.Type })
	if i < 0 {
		d.migrated = append(d.migrated, m)
		return
	}
	d.migrated[i].To, d.migrated[i].Rows = m.To, m.Rows
}

// gone takes back what is told of the migration of a type that was dropped.
func (d *schemaDraft) gone(ref ontosql.TypeRef) {
	d.migrated = slices.DeleteFunc(d.migrated, func(m format.Migrated) bool { return m.Type == ref })
}

// apply changes a schema as the transaction does.
func (d *schemaDraft) apply(state *migration.State) error {
	for _, step := range d.steps {
		if err := step(state); err != nil {
			return err
		}
	}
	return nil
}

// changes reports whether the schema is not as it was before the draft, in its versions
// or in what is declared. A nil draft changes nothing.
func (d *schemaDraft) changes(at time.Time) (bool, error) {
	if d == nil {
		return false, nil
	}
	state := d.base.Catalog.State(at, "")
	before, err := format.EncodeSchemaChange(state.Change())
	if err != nil {
		return false, err
	}
	if err := d.apply(state); err != nil {
		return false, err
	}
	after, err := format.EncodeSchemaChange(state.Change())
	return !bytes.Equal(before, after), err
}

// drafted reports whether a pin shows the transaction's own change of the schema,
// which nobody else may see.
func (s *Session) drafted(pin *resolver.Pin) bool {
	return s.tx.schema != nil && pin != s.tx.schema.base
}

// restage puts a staging in the place of what the transaction has staged of a type,
// nil for none.
func (s *Session) restage(ctx context.Context, ref ontosql.TypeRef, g *staging.Rows) {
	if old := s.tx.stagingOf(ref); old != nil {
		if len(s.tx.savepoints) > 0 {
			s.tx.retired = append(s.tx.retired, old)
		} else {
			old.Close(context.WithoutCancel(ctx))
		}
		s.tx.staged = slices.DeleteFunc(s.tx.staged, func(g *staging.Rows) bool { return g == old })
	}
	if g != nil {
		s.tx.staged = append(s.tx.staged, g)
	}
}
