package writing

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
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// rowRewrite rewrites the rows of a type whose schema an alteration has changed.
type rowRewrite struct {
	*typeddl.Alteration
	session *session.Session
	next    *catalog.Type    // the type after the change
	image   *rowjson.Encoder // of its rows
	every   bool             // every row is written again
	rows    int64            // that were written again
}

// migrateRows changes the schema in the transaction, and rewrites the latest rows where
// their stored form changes. A statement alone holds the write lock meanwhile, so that no
// commit comes in between. On engine v2 Ontologia reads only rows of the current schema
// version, so every row is written again there.
func migrateRows(ctx context.Context, s *session.Session, pin *resolver.Pin, a *typeddl.Alteration, before string) (*rowRewrite, error) {
	m := &rowRewrite{Alteration: a, session: s}
	return m, m.run(ctx, pin, before)
}

func (m *rowRewrite) run(ctx context.Context, pin *resolver.Pin, before string) error {
	s, ref := m.session, m.Type.Ref
	if err := change(ctx, s, m.Step(before), ref); err != nil {
		return err
	}
	next, _ := s.Tx.Pin.Catalog.Type(ref)
	schema, err := rowjson.WriteSchema(next)
	if err != nil {
		return err
	}
	m.next, m.image = next, rowjson.New(next, schema)
	if err := m.DeclareComputed(next); err != nil {
		return err
	}
	m.every = next.SchemaID != m.Type.SchemaID && pin.Engine == format.EngineV2
	g := s.NewStaging(next, schema)
	g.SetMigrated()
	old := s.Tx.StagingOf(ref)
	if m.every || len(m.Computed)+len(m.DroppedFields)+len(m.Renamed) > 0 || old != nil && old.Count() > 0 {
		_, stored := pin.View.Count(ref, max(m.Type.Floor-1, 0), pin.Head.Commit)
		s.Activity.StartMigration(ref, stored)
		defer s.Activity.RowsMigrated(s.Alone())
		if s.Alone() && hasRows(s, pin, m.Type) {
			if err := s.ReserveAtPin(ctx); err != nil {
				return err
			}
		}
		err := s.UnderLock(ctx, func(ctx context.Context) error { return m.rewrite(ctx, pin, g) })
		if err != nil {
			g.Close(context.WithoutCancel(ctx))
			return err
		}
	}
	if m.rows = g.Count(); m.rows > 0 || next.SchemaID != m.Type.SchemaID {
		s.Tx.Schema.AddMigrated(format.Migrated{Type: ref, From: max(m.Type.SchemaID, migration.FirstVersion), To: next.SchemaID, Rows: m.rows})
	}
	restage(ctx, s, ref, g)
	return nil
}

// rewrite stages the next version of every row that changes.
func (m *rowRewrite) rewrite(ctx context.Context, pin *resolver.Pin, g *staging.Rows) error {
	s := m.session
	s.Activity.MigratedRows(0)
	target := relation.TypeRelation(syntax.Ref{Schema: catalog.SchemaPublic, Name: m.Type.Table}, catalog.SchemaPublic, m.Type)
	target.Shape.Defaults = maps.Clone(target.Shape.Defaults)
	for _, name := range m.DroppedDefaults {
		delete(target.Shape.Defaults, name)
	}
	target.Shape.Stored = planner.StoredColumnNames(m.Type.Ref.Kind)
	p := &planner.Plan{Version: s.Version(pin), Relations: []relation.Relation{target}, Env: s.NewEnv()}
	var err error
	if p.Scoped, err = ddlstmt.ScopeMigration(target.Shape, m.Computed, p.Env); err != nil || m.DryRun {
		return err
	}
	p.Columns = make([]wire.Column, len(target.Shape.Stored)+len(m.Computed))
	if err := s.PrepareCatalog(ctx, pin, p); err != nil {
		return err
	}
	_, err = reading.OverMirror(ctx, reading.Sources{Session: s, Repeated: true}, func(src *reading.Sources) (struct{}, error) {
		none := struct{}{}
		if err := g.Truncate(ctx, 0); err != nil {
			return none, err
		}
		if err := src.Find(ctx, pin, p, nil); err != nil {
			return none, err
		}
		err := m.stageRows(ctx, p, src, g)
		if err != nil {
			return none, m.ofRow(ctx, err, p, src.Fragments[0])
		}
		src.Release(context.WithoutCancel(ctx))
		return none, nil
	})
	return err
}

// ofRow adds the key of the first failing row to an error of the engine, which names no row.
// It is found by bisection in a copy of the rows that is sorted by key.
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
	rows := temptable.Schema + "." + s.Temp.Name("f")
	conn, err := s.FreeConn(ctx)
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
		err = p.Located(s.RunQuery(ctx, sql, nil))
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
