package gateway

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"weak"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// plan is a reading statement against one version of the catalog: what its
// references are and which columns it returns. It holds for every point.
type plan struct {
	version   string // of the catalog, and the settings that a plan hangs on
	relations []relation.Relation
	scoped    *scope.Scoped
	env       *environment
	columns   []wire.Column
	catalog   bool                       // reads pg_catalog or calls one of its functions
	writing   *writing                   // of an INSERT, UPDATE or MERGE, nil for the others
	answered  weak.Pointer[resolver.Pin] // of its last execution, where that read anything
	lookedUp  bool                       // that needed no engine
	constant  constant                   // its answer, where that is always the same
	looksUp   *ingest.Lookup             // of the last execution, nil where there was none
}

// detached reports whether the plan needs no pin.
func (p *plan) detached() bool { return len(p.relations) == 0 && !p.catalog && p.writing == nil }

// few reports whether the plan reads nothing but pg_catalog, which has few rows.
func (p *plan) few() bool {
	return p.catalog && !slices.ContainsFunc(p.relations, func(r relation.Relation) bool { return r.Catalog == nil })
}

// newPlan resolves the names of a statement at pin's catalog.
func (s *Session) newPlan(pin *resolver.Pin, st *syntax.Statement, oids []uint32) (*plan, error) {
	p := &plan{version: s.planVersion(pin)}
	shapes := make([]scope.Shape, len(st.Refs))
	for i, ref := range st.Refs {
		r, err := s.resolving().Resolve(pin, ref)
		if err != nil {
			return nil, cmp.Or(s.targetBefore(pin, st, ref), err)
		}
		p.relations = append(p.relations, r)
		shapes[i] = r.Shape
		p.catalog = p.catalog || r.Catalog != nil
	}
	env := &environment{session: s}
	p.env = env
	if isWrite(st) {
		err := s.newWriting(pin, p, st, shapes, oids)
		p.catalog = p.catalog || env.macros
		return p, err
	}
	var err error
	if p.scoped, err = query.Scope(st, shapes, oids, env); err != nil {
		return nil, err
	}
	p.catalog = p.catalog || env.macros
	p.columns = s.describe(pin.Catalog, p.scoped.Columns, p.relations)
	return p, nil
}

// targetBefore is what is wrong with the target of a write that is named before a
// reference: PostgreSQL looks at it first.
func (s *Session) targetBefore(pin *resolver.Pin, st *syntax.Statement, ref syntax.Ref) error {
	if !isWrite(st) || st.Target.Position > ref.Position {
		return nil
	}
	_, err := s.target(pin, st)
	return err
}

func (s *Session) planVersion(pin *resolver.Pin) string {
	return pin.Catalog.Version + " " + s.settings.Value("search_path") + " " + s.settings.Value(settings.OnConflict) + " " + s.settings.Value("DateStyle")
}

// nowhere is the pin of a plan that needs none.
func nowhere() *resolver.Pin { return &resolver.Pin{Catalog: &catalog.Catalog{}} }

// describe turns the rewriter's outputs into the columns of a RowDescription.
func (s *Session) describe(c *catalog.Catalog, outputs []scope.Output, relations []relation.Relation) []wire.Column {
	cols := make([]wire.Column, len(outputs))
	for i, o := range outputs {
		cols[i] = wire.Column{Name: o.Name, OID: o.OID, Size: pgcatalog.TypeSize(o.OID), Typmod: o.Typmod, Scale: o.Scale, Fields: s.describe(c, o.Fields, relations)}
		if o.Ref >= 0 {
			r := &relations[o.Ref]
			cols[i].TableOID, cols[i].Attnum = s.db.Attribute(c, r.Shape.Schema, r.Shape.Table, r.Shape.Columns, o.Column)
			if k := r.DeclaredColumn(o.Column); k != nil {
				cols[i].OID, cols[i].Typmod = pgcatalog.ColumnType(k)
			}
		}
	}
	return cols
}

// check lets the engine prepare the statement over empty relations of the right
// types, which finds what the rewriter did not (decision A3). While a portal
// holds the connection, the statement's own execution has to find it.
func (s *Session) check(ctx context.Context, pin *resolver.Pin, p *plan) error {
	if s.open != nil {
		return nil
	}
	if err := s.prepareCatalog(ctx, pin, p); err != nil {
		return err
	}
	if w := p.writing; w != nil {
		err := s.try(ctx, w.rows)
		if err != nil {
			err = w.locateValue(err, w.rows.nothing(), func(sql string, _ []int) error { return s.prepares(ctx, w.rows, sql) })
		}
		return err
	}
	return s.try(ctx, p)
}

// nothing are empty sources for a plan's references.
func (p *plan) nothing() []string {
	fragments := make([]string, len(p.relations))
	for i := range p.relations {
		fragments[i] = "(" + p.relations[i].EmptySource(p.scoped.Needs[i]) + ")"
	}
	return fragments
}

// try lets the engine prepare one query.
func (s *Session) try(ctx context.Context, p *plan) error {
	p.env.trial = true
	sql, err := p.scoped.Bind(p.nothing())
	p.env.trial = false
	if err != nil {
		return err
	}
	return s.prepares(ctx, p, sql)
}

// prepares reports what the engine has against a query of the plan.
func (s *Session) prepares(ctx context.Context, p *plan, sql string) error {
	conn, err := s.freeConn(ctx)
	if err != nil {
		return err
	}
	st, err := conn.Prepare(ctx, sql)
	if err != nil {
		return s.located(p, err)
	}
	st.Close()
	return nil
}

// located places an error of the engine that names an identifier in the text
// the client sent.
func (s *Session) located(p *plan, err error) error {
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return err
	}
	out := sqlstate.OfEngine(e)
	if e.Name != "" {
		out.Position = p.scoped.Locate(e.Name)
	}
	return out.Because(err)
}

// firstPlan plans a statement that arrives. One that runs at once is planned at
// the pin it will read. One that is prepared for later is planned at the newest
// pin there is, without a look at the store unless there is something wrong with it
// under that catalog (decision A13), and checked by the engine, because PostgreSQL's
// errors come at Parse.
func (s *Session) firstPlan(ctx context.Context, st *syntax.Statement, oids []uint32, runsNow bool) (*plan, error) {
	if len(st.Refs) == 0 && st.Target == nil {
		// It reads nothing of the store, and answers while that is away.
		p, err := s.newPlan(nowhere(), st, oids)
		if err != nil || runsNow && !p.catalog {
			return p, err
		}
		if !p.catalog {
			return p, s.check(ctx, nil, p)
		}
	}
	known := s.db.LastPin()
	if s.tx.pin == nil && !runsNow && known != nil {
		p, err := s.newPlan(known, st, oids)
		if err == nil {
			return p, s.check(ctx, known, p)
		}
	}
	first := s.tx.pin == nil // else the transaction has read something and keeps its pin
	pin, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.newPlan(pin, st, oids)
	if sqlstate.IsUndefinedTable(err) && first {
		if pin, err = s.pinAnew(ctx); err != nil {
			return nil, err
		}
		p, err = s.newPlan(pin, st, oids)
	}
	if err != nil || runsNow {
		return p, err
	}
	return p, s.check(ctx, pin, p)
}

// current makes the plan of a prepared statement hold for pin, and its description
// binding. Another catalog means another plan; other result columns are an error
// where the description is binding already, because the client knows it. Before that
// only this gateway knows at which catalog the statement was planned, which need not
// have been the newest when it arrived (firstPlan). Then the parameters may have
// become others too: errOtherParameters, once.
func (p *statement) current(ctx context.Context, pin *resolver.Pin) error {
	bound := p.bound
	if p.plan.version == p.session.planVersion(pin) {
		p.bound = true
		return nil
	}
	if p.plan.writing != nil && p.plan.writing.copied {
		return sqlstate.SchemaChanged() // the rows of a COPY were read as those of another catalog
	}
	before, oids := p.plan.scoped.Params, p.oids
	if bound {
		oids = before
	}
	next, err := p.session.newPlan(pin, p.st, oids)
	if err != nil {
		return err
	}
	if bound && !sameColumns(p.columns, next.columns) {
		return (&pgerr.Error{
			Code:    pgerr.FeatureNotSupported,
			Message: "cached plan must not change result type",
			Routine: "RevalidateCachedQuery",
		})
	}
	p.plan, p.columns, p.bound = next, next.columns, true
	if !slices.Equal(before, next.scoped.Params) {
		return errOtherParameters
	}
	return nil
}

// errOtherParameters: a statement was planned anew, and its parameters are of other
// types than those that their values were read as.
var errOtherParameters = errors.New("other parameters")

func sameColumns(a, b []wire.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].OID != b[i].OID || a[i].Typmod != b[i].Typmod {
			return false
		}
	}
	return true
}
