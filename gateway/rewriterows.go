package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/ddl"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// rowRewrite rewrites the rows of a type whose schema an alteration has changed.
type rowRewrite struct {
	*ddl.Alteration
	session *Session
	next    *catalog.Type    // the type after the change
	image   *rowjson.Encoder // of its rows
	every   bool             // every row is written again
	rows    int64            // that were written again
}

// migrateRows changes the schema in the transaction, and rewrites the latest rows where
// their stored form changes. A statement alone holds the write lock meanwhile, so that no
// commit comes in between. On engine v2 Ontologia reads only rows of the current schema
// version, so every row is written again there.
func (s *Session) migrateRows(ctx context.Context, pin *resolver.Pin, a *ddl.Alteration, before string) (*rowRewrite, error) {
	m := &rowRewrite{Alteration: a, session: s}
	return m, m.run(ctx, pin, before)
}

func (m *rowRewrite) run(ctx context.Context, pin *resolver.Pin, before string) error {
	s, ref := m.session, m.Type.Ref
	if err := s.change(ctx, m.Step(before), ref); err != nil {
		return err
	}
	next, _ := s.tx.pin.Catalog.Type(ref)
	schema, err := rowjson.WriteSchema(next)
	if err != nil {
		return err
	}
	m.next, m.image = next, rowjson.New(next, schema)
	if err := m.DeclareComputed(next); err != nil {
		return err
	}
	m.every = next.SchemaID != m.Type.SchemaID && pin.Engine == format.EngineV2
	g := s.newStaging(next, schema)
	g.SetMigrated()
	old := s.tx.stagingOf(ref)
	if m.every || len(m.Computed)+len(m.DroppedFields)+len(m.Renamed) > 0 || old != nil && old.Count() > 0 {
		_, stored := pin.View.Count(ref, m.Type.Floor, pin.Head.Commit)
		s.activity.StartMigration(ref, stored)
		defer s.activity.RowsMigrated(s.alone())
		if s.alone() && s.hasRows(pin, m.Type) {
			if err := s.reserveAtPin(ctx); err != nil {
				return err
			}
		}
		err := s.underLock(ctx, func(ctx context.Context) error { return m.rewrite(ctx, pin, g) })
		if err != nil {
			g.Close(context.WithoutCancel(ctx))
			return err
		}
	}
	if m.rows = g.Count(); m.rows > 0 || next.SchemaID != m.Type.SchemaID {
		s.tx.schema.AddMigrated(format.Migrated{Type: ref, From: max(m.Type.SchemaID, migration.FirstVersion), To: next.SchemaID, Rows: m.rows})
	}
	s.restage(ctx, ref, g)
	return nil
}

// rewrite stages the next version of every row that changes.
func (m *rowRewrite) rewrite(ctx context.Context, pin *resolver.Pin, g *staging.Rows) error {
	s := m.session
	s.activity.MigratedRows(0)
	target := relation.TypeRelation(syntax.Ref{Schema: catalog.SchemaPublic, Name: m.Type.Table}, catalog.SchemaPublic, m.Type)
	target.Shape.Defaults = maps.Clone(target.Shape.Defaults)
	for _, name := range m.DroppedDefaults {
		delete(target.Shape.Defaults, name)
	}
	target.Shape.Stored = planner.StoredColumnNames(m.Type.Ref.Kind)
	p := &planner.Plan{Version: s.Version(pin), Relations: []relation.Relation{target}, Env: s.newEnv()}
	var err error
	if p.Scoped, err = ddlstmt.ScopeMigration(target.Shape, m.Computed, p.Env); err != nil || m.DryRun {
		return err
	}
	p.Columns = make([]wire.Column, len(target.Shape.Stored)+len(m.Computed))
	if err := s.prepareCatalog(ctx, pin, p); err != nil {
		return err
	}
	_, err = overMirror(ctx, sources{session: s, repeated: true}, func(src *sources) (struct{}, error) {
		none := struct{}{}
		if err := g.Truncate(ctx, 0); err != nil {
			return none, err
		}
		if err := src.find(ctx, pin, p, nil); err != nil {
			return none, err
		}
		err := m.stageRows(ctx, p, src, g)
		if err != nil {
			return none, m.ofRow(ctx, err, p, src.fragments[0])
		}
		src.release(context.WithoutCancel(ctx))
		return none, nil
	})
	return err
}

// ofRow adds to an error of the engine which row it is of. The engine names none,
// so that it is found by halves, in a copy of the rows by their keys: of several the
// first is named.
func (m *rowRewrite) ofRow(ctx context.Context, cause error, p *planner.Plan, fragment string) error {
	var e *pgerr.Error
	if !errors.As(cause, &e) || !planner.IsValueError(e.Code) || e.Column != "" { // stageRow has named the row and its column
		return cause
	}
	s := m.session
	var names []string
	for _, key := range scan.KeyColumns(m.Type.Ref.Kind) {
		names = append(names, duckdb.Ident(p.Scoped.Needs[0].System[key]))
	}
	keys := strings.Join(names, ", ")
	rows := temptable.Schema + "." + s.temp.Name("f")
	conn, err := s.freeConn(ctx)
	if err != nil {
		return cause
	}
	if err := conn.Exec(ctx, "CREATE TABLE "+rows+" AS SELECT * FROM "+fragment+" ORDER BY "+keys); err != nil {
		return cause
	}
	defer func() { _ = conn.Exec(context.WithoutCancel(ctx), "DROP TABLE "+rows) }()
	part := func(from, to int64) string {
		return fmt.Sprintf("(SELECT * FROM %s WHERE rowid >= %d AND rowid < %d)", rows, from, to)
	}
	fails := func(from, to int64) bool {
		sql, err := p.Scoped.Bind([]string{part(from, to)})
		if err != nil {
			return false
		}
		err = p.Located(s.runs(ctx, sql, nil))
		return errors.As(err, &e)
	}
	from, to := int64(0), int64(0)
	err = conn.Each(ctx, "SELECT count(*) FROM "+rows, nil, func(b *column.Batch, i int) { to = b.Cols[0].I64[i] })
	if err != nil {
		return cause
	}
	for to-from > 1 && ctx.Err() == nil {
		if mid := (from + to) / 2; fails(from, mid) {
			to = mid
		} else {
			from = mid
		}
	}
	if !fails(from, from+1) {
		return cause
	}
	found := *e
	err = conn.Each(ctx, fmt.Sprintf("SELECT %s FROM %s", keys, part(from, from+1)), nil, func(b *column.Batch, i int) {
		r := staging.Identity(m.Type.Ref.Kind, b, i)
		found.Detail = strings.TrimSuffix(rowjson.Key(m.Type, &r)+". "+e.Detail, " ")
	})
	if err != nil {
		return cause
	}
	return &found
}
