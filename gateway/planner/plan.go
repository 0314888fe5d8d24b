package planner

import (
	"cmp"
	"errors"
	"slices"
	"weak"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/workspace"
)

// Plan is a statement at one version of the catalog: its references, the columns it returns,
// and of a write what it does. It is the same for every point in time.
type Plan struct {
	Version   Version
	Relations []relation.Relation
	Scoped    *scope.Scoped
	Env       Env
	Columns   []wire.Column
	Points    map[*syntax.Point]*Plan    // the queries that name the points of references
	Catalog   bool                       // reads pg_catalog or calls one of its functions
	Write     *Write                     // of an INSERT, UPDATE or MERGE, nil for the others
	Parts     []*Plan                    // of the statement's Parts
	Action    string                     // of a part that is one: its name (syntax.Actions)
	Answered  weak.Pointer[resolver.Pin] // of its last execution, if that read anything
	LookedUp  bool                       // the last execution did not use the engine
	Few       bool                       // it did not, and found so few rows that finding them anew is cheap
	constant  constant                   // its row, if that is always the same
	LookUp    *ingest.Lookup             // of the last execution, nil for none
	byKey     byKey                      // how the row store answers it
}

// Detached reports whether the plan needs no pin.
func (p *Plan) Detached() bool {
	return len(p.Relations) == 0 && !p.Catalog && p.Write == nil && len(p.Parts) == 0
}

// Widens reports whether a query of the plan computes numerics that may need more digits than the
// engine's decimals have.
func (p *Plan) Widens() bool {
	return slices.ContainsFunc(p.All(), func(of *Plan) bool {
		of = of.Query()
		return of != nil && of.Scoped != nil && of.Scoped.Widens
	})
}

// smallTable is the number of rows from which on an ordinary table has many: those that the
// engine reads in about a millisecond.
const smallTable = 50_000

// ReadsFew reports whether the plan reads few rows: none of a type, and none of a table that has
// many.
func (p *Plan) ReadsFew() bool {
	return !slices.ContainsFunc(p.Relations, func(r relation.Relation) bool {
		return r.Type != nil || r.Stored != nil && r.Stored.Heap.Rows() > smallTable
	})
}

// Env answers rewrite's questions about the session while a statement is planned and
// bound.
type Env interface {
	scope.Env
	// UsesCatalog reports whether a function of pg_catalog was asked for.
	UsesCatalog() bool
	// SetTrial says that a statement is only checked, so that functions have no effect.
	SetTrial(on bool)
}

// FinerNumbers are the arguments, as input.Argument has read them, that are numerics with more
// digits behind the point than the engine's type of such a parameter has, by the parameters'
// numbers. Planned as constants (syntax.Statement.WithNumbers) they keep these digits.
func (p *Plan) FinerNumbers(args [][]byte) map[int]string {
	var finer map[int]string
	for i, arg := range args {
		n := i + 1
		if arg == nil || p.Scoped.Params[i] != types.Numeric || !coercion.FinerText(string(arg)) {
			continue
		}
		if slices.ContainsFunc(p.All(), func(of *Plan) bool { return !of.storesAlone() && of.Scoped.ComputesWith(n) }) {
			if finer == nil {
				finer = map[int]string{}
			}
			finer[n] = string(arg)
		}
	}
	return finer
}

// storesAlone reports whether the plan only stores its parameters, as a column holds them.
func (p *Plan) storesAlone() bool { return p.Write != nil && p.Write.Params != nil }

// Planner plans the statements of one session. It reads the session's settings and never
// changes them.
type Planner struct {
	Database *database.Database
	Alias    string // the name in the startup message, a database name too
	Settings *settings.Values
	Fixed    *ontosql.Point // the point that the session is pinned to, nil for none
	NewEnv   func() Env
	Tables   *workspace.Session // the temporary tables, and those of the workspace
	Wide     bool               // numerics are computed as wide ones (decision A60)
	Widens   bool               // a plan was made that may need this
}

// Resolver resolves names with the session's search path.
func (s *Planner) Resolver() relation.Resolver {
	return relation.Resolver{Database: s.Database.Name, Startup: s.Alias, Path: s.Settings.Value("search_path"), Temp: s.Tables.Objects, Shared: s.Tables.Shared()}
}

// Plan plans a statement at the catalog of pin. oids are the types of parameters that the
// client declared. The references are not bound to data yet.
func (s *Planner) Plan(pin *resolver.Pin, st *syntax.Statement, oids []uint32) (*Plan, error) {
	if len(st.Parts) > 0 {
		return s.planParts(pin, st, oids)
	}
	return s.plan(pin, st, oids, nil)
}

// PlanOver is Plan of a query in which a name without a schema means a relation of the caller's.
func (s *Planner) PlanOver(pin *resolver.Pin, st *syntax.Statement, name string, over relation.Relation) (*Plan, error) {
	p := &Plan{Version: s.Version(pin)}
	for _, ref := range st.Refs {
		r := over
		if ref.Schema != "" || ref.Name != name {
			var err error
			if r, err = s.resolve(pin, ref, nil); err != nil {
				return nil, err
			}
		}
		p.Relations = append(p.Relations, r)
	}
	return s.complete(pin, p, st, nil)
}

// plan plans one query of a statement. parts are those that it may read.
func (s *Planner) plan(pin *resolver.Pin, st *syntax.Statement, oids []uint32, parts []*Plan) (*Plan, error) {
	p := &Plan{Version: s.Version(pin)}
	for _, ref := range st.Refs {
		r, err := s.resolve(pin, ref, parts)
		if err != nil {
			return nil, cmp.Or(s.targetBefore(pin, st, ref), err)
		}
		p.Relations = append(p.Relations, r)
	}
	return s.complete(pin, p, st, oids)
}

// complete completes the plan of a query whose references are resolved.
func (s *Planner) complete(pin *resolver.Pin, p *Plan, st *syntax.Statement, oids []uint32) (*Plan, error) {
	st, err := s.expandViews(pin, p, st)
	if err != nil {
		return nil, err
	}
	shapes := make([]scope.Shape, len(st.Refs))
	for i, ref := range st.Refs {
		if err := s.planPoints(pin, p, &ref); err != nil {
			return nil, err
		}
		if r := &p.Relations[i]; r.Type != nil && !IsWrite(st) && len(st.Parts) == 0 {
			r.ReadAs(s.Database.DeclaredNumerics(r.Type))
		}
		shapes[i] = p.Relations[i].Shape
		p.Catalog = p.Catalog || p.Relations[i].Catalog != nil
	}
	env := s.NewEnv()
	p.Env = env
	if IsWrite(st) {
		err := s.PlanWrite(pin, p, st, shapes, oids, s.Settings.OnConflict())
		if err == nil {
			err = p.Query().checkRowLocks()
		}
		p.Catalog = p.Catalog || env.UsesCatalog()
		return p, err
	}
	p.Scoped, err = query.Scope(st, shapes, oids, env)
	if err == nil && p.Scoped.Overflows && !p.Scoped.Repeatable { // it cannot be run a second time
		p.Scoped, err = query.Scope(st.MayOverflow(false), shapes, oids, env)
	}
	if err != nil {
		return nil, err
	}
	if err := p.checkRowLocks(); err != nil {
		return nil, err
	}
	p.Catalog = p.Catalog || env.UsesCatalog()
	p.Columns = s.describe(pin.Catalog, p.Scoped.Columns, p.Relations)
	return p, nil
}

// planPoints plans the queries that name the points of a reference.
func (s *Planner) planPoints(pin *resolver.Pin, p *Plan, ref *syntax.Ref) error {
	for _, at := range ref.Points() {
		if at.Query == nil {
			continue
		}
		q, err := s.Plan(pin, at.Query, nil)
		if err != nil {
			return err
		}
		if p.Points == nil {
			p.Points = map[*syntax.Point]*Plan{}
		}
		p.Points[at] = q
	}
	return nil
}

// targetBefore is the error of the target of a write that is named before a reference.
// PostgreSQL resolves it first.
func (s *Planner) targetBefore(pin *resolver.Pin, st *syntax.Statement, ref syntax.Ref) error {
	if !IsWrite(st) || st.Target.Position > ref.Position {
		return nil
	}
	_, err := s.target(pin, st)
	return err
}

// Version is what a plan depends on besides the statement.
type Version struct {
	catalog       string
	tables, store int64  // versions of the ordinary tables
	settings      string // settings.Values.PlanKey
	widths        int64
	wide          bool
}

// Version is the version of a plan that is made at a pin now.
func (s *Planner) Version(pin *resolver.Pin) Version {
	return Version{pin.Catalog.Version, s.Tables.Version, s.Tables.StoreVersion(), s.Settings.PlanKey(), s.Database.Widths(), s.Wide}
}

// NoPin is the pin for a plan that needs none: its catalog is empty.
func NoPin() *resolver.Pin { return &resolver.Pin{Catalog: &catalog.Catalog{}} }

// describe makes the columns of a RowDescription.
func (s *Planner) describe(c *catalog.Catalog, outputs []scope.Output, relations []relation.Relation) []wire.Column {
	cols := make([]wire.Column, len(outputs))
	for i, o := range outputs {
		cols[i] = wire.Column{Name: o.Name, OID: o.OID, Size: pgcatalog.TypeSize(o.OID), Typmod: o.Typmod, Scale: o.Scale, Fields: s.describe(c, o.Fields, relations)}
		if o.Ref >= 0 {
			r := &relations[o.Ref]
			cols[i].TableOID, cols[i].Attnum = s.Database.Attribute(c, r.Shape.Schema, r.Shape.Table, r.Shape.Columns, o.Column)
			if k := r.DeclaredColumn(o.Column); k != nil {
				cols[i].OID, cols[i].Typmod = pgcatalog.ColumnType(k)
			}
			if ty, ok := r.ViewColumn(o.Column); ok {
				cols[i].OID, cols[i].Typmod = ty.OID, ty.Typmod
			}
		}
	}
	return cols
}

// EmptySources are SQL sources without rows for the plan's references, to check the plan.
func (p *Plan) EmptySources() []string {
	fragments := make([]string, len(p.Relations))
	for i := range p.Relations {
		fragments[i] = "(" + p.Relations[i].EmptySource(p.Scoped.Needs[i]) + ")"
	}
	return fragments
}

// Located is the client's error for an error of the engine. If that names an identifier, the
// error has its position in the statement.
func (p *Plan) Located(err error) error {
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return err
	}
	out := sqlstate.OfEngine(e)
	if e.Name != "" {
		out.Position = p.Scoped.Locate(e.Name)
	}
	return out.Because(err)
}
