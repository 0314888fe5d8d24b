package gateway

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// sources are the FROM items for the references of one execution of a plan, with what
// they hold until they are released.
type sources struct {
	session   *Session
	spec      *speculation // of the pin; nil if the pin is certain
	dry       bool         // nothing is fetched, for EXPLAIN
	spare     bool         // a single row may be the answer without the engine (ingest.Lookup)
	few       bool         // there are few rows to process
	fragments []string
	args      []any          // parameters of the fragments, behind those of the statement
	keyed     []int          // the references whose fragments have only the rows of the keys asked for
	answered  *column.Batch  // the answer of ingest.Lookup; nil if the engine answers
	windows   []windowReport // one for each reference, for EXPLAIN
	given     []func()       // release functions of the rows that were found

	uses       []*mirror.Use
	borrowed   []*mirror.Use // of other sources, whose fragments these are
	repeated   bool          // the fragments are run more than once
	unmirrored bool          // the mirror is not used
	tables     []string      // loaded for this execution
	once       bool          // the fragments name tables or rows of this execution
	warnings   []*pgerr.Error
}

// warn keeps a warning until the statement is known to be answered from these sources,
// because sources may be found more than once.
func (o *sources) warn(w *pgerr.Error) { o.warnings = append(o.warnings, w) }

// tell sends the warnings.
func (o *sources) tell() {
	for _, w := range o.warnings {
		o.session.notice(w)
	}
	o.warnings = nil
}

// windowReport is what EXPLAIN shows of one reference.
type windowReport struct {
	relation *relation.Relation
	window   ontosql.Window
	need     scope.Need
	keys     relation.KeyBounds
	stored   storage.Report   // of the rows that are read from the storage
	mirrored bool             // a part of it is read from the mirror,
	through  ontosql.CommitID // up to this commit
}

// find finds the data of every reference at pin. The caller releases the sources, after
// an error too.
func (o *sources) find(ctx context.Context, pin *resolver.Pin, p *planner.Plan, args [][]byte) error {
	for i := range p.Relations {
		if err := o.add(ctx, pin, p, i, args); err != nil {
			return err
		}
	}
	if a := o.session.running.account; a != nil {
		a.SetSource(o.rowSource())
	}
	return nil
}

// parameters are the parameters that the fragments may name. There are none if the
// fragments become part of other statements too, which number their parameters in another
// way.
func (o *sources) parameters(p *planner.Plan) []int {
	if o.repeated {
		return nil
	}
	return p.Scoped.Used
}

// free is the number of the first parameter that fragments may add, 0 for none.
func (o *sources) free(p *planner.Plan) int {
	if o.repeated {
		return 0
	}
	return len(p.Scoped.Used) + len(p.Scoped.Lists) + len(o.args) + 1
}

// release releases the rows and the mirror and drops the tables.
func (o *sources) release(ctx context.Context) {
	o.giveBack()
	for _, u := range o.uses {
		u.Release()
	}
	for _, table := range o.tables {
		if err := o.session.dropLoaded(ctx, table); err != nil {
			o.session.log.WarnContext(ctx, "temporary relation stays", "error", err)
		}
	}
}

// dropLoaded drops a table that load made; it need not exist.
func (s *Session) dropLoaded(ctx context.Context, table string) error {
	conn, err := s.freeConn(ctx)
	if err != nil {
		return err
	}
	return conn.Exec(ctx, "DROP TABLE IF EXISTS "+table)
}

// giveBack releases the rows that were found.
func (o *sources) giveBack() {
	for _, release := range o.given {
		release()
	}
}

func (o *sources) add(ctx context.Context, pin *resolver.Pin, p *planner.Plan, i int, args [][]byte) error {
	r := &p.Relations[i]
	o.session.reading(r)
	var fragment, source string
	var err error
	report := windowReport{relation: r}
	switch {
	case r.Type != nil:
		fragment, err = o.window(ctx, pin, p, i, args, &report)
	case o.dry:
		fragment = r.EmptySource(p.Scoped.Needs[i])
	case r.Virtual != nil:
		fragment, err = o.virtual(ctx, pin, r)
	case r.Table != "":
		fragment, o.once = "SELECT * FROM "+r.Table, true
	case o.session.isLive(r.Catalog.Name):
		fragment, err = o.live(r)
	default:
		source, err = o.session.db.CatalogSource(ctx, o.session.shown, r.Catalog)
	}
	if err != nil {
		return err
	}
	if source == "" {
		source = "(" + fragment + ")"
	}
	if place, asked := p.Scoped.Needs[i].System["ctid"]; asked && r.Catalog != nil {
		source = withCTIDs(source, place)
	}
	o.fragments = append(o.fragments, source)
	o.windows = append(o.windows, report)
	return nil
}

// bring finds rows in the storage. They are released with the sources.
func (o *sources) bring(ctx context.Context, db *database.Database, s storage.Search) (storage.Result, error) {
	f, err := db.Storage.Find(ctx, db.Engine, s)
	if err == nil && f.Release != nil {
		o.given = append(o.given, f.Release)
	}
	o.spec.sawHead(f.Newest)
	o.once = o.once || f.OneTime
	o.args = append(o.args, f.Args...)
	return f, err
}

// rowSource is where the rows of the references come from, for the query log.
func (o *sources) rowSource() string {
	var mirrored, stored bool
	for _, w := range o.windows {
		if w.relation.Type != nil && !o.dry {
			mirrored = mirrored || w.mirrored
			stored = stored || !w.mirrored || w.stored.Some
		}
	}
	switch {
	case mirrored && stored:
		return introspect.SourceMirror + " and " + o.session.db.Storage.Source()
	case mirrored:
		return introspect.SourceMirror
	case stored:
		return o.session.db.Storage.Source()
	}
	return introspect.SourceNone
}
