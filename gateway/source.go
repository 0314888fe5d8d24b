package gateway

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// sources are the fragments of one execution, and what must be given back
// after it.
type sources struct {
	session   *Session
	guessed   *guess // how the pin is known
	dry       bool   // nothing is fetched: EXPLAIN asks what would be
	spare     bool   // a row that is found may be the answer, without the engine
	few       bool   // there are few rows
	fragments []string
	args      []any          // parameters of the fragments, behind those of the statement
	keyed     []int          // the references whose fragments have only the rows of the keys asked for
	answered  *column.Batch  // the answer then; nil where the engine gives it
	windows   []windowReport // one for each reference, for EXPLAIN
	given     []func()       // what gives back the rows that were brought

	uses       []*mirror.Use
	borrowed   []*mirror.Use // of the sources whose fragments these are
	repeated   bool          // the fragments are run more than once
	unmirrored bool          // the mirror is left alone
	tables     []string      // loaded for this execution
	once       bool          // the fragments name what is gone after this execution
	warnings   []*pgerr.Error
}

// warn keeps a warning for the client until the sources are those that its
// statement is answered from: they may be found more than once.
func (o *sources) warn(w *pgerr.Error) { o.warnings = append(o.warnings, w) }

// tell sends the warnings.
func (o *sources) tell() {
	for _, w := range o.warnings {
		o.session.notice(w)
	}
	o.warnings = nil
}

// windowReport tells what became of one reference.
type windowReport struct {
	relation *relation.Relation
	window   ontosql.Window
	need     scope.Need
	keys     relation.KeyBounds
	stored   storage.Report   // of the rows that are read from the store
	mirrored bool             // a part of it is read from the mirror,
	through  ontosql.CommitID // up to this commit
}

// find finds the data of every reference at pin. It is released by the caller,
// after an error too.
func (o *sources) find(ctx context.Context, pin *resolver.Pin, p *plan, args [][]byte) error {
	for i := range p.relations {
		if err := o.add(ctx, pin, p, i, args); err != nil {
			return err
		}
	}
	if a := o.session.running.account; a != nil {
		a.SetSource(o.rowSource())
	}
	return nil
}

// parameters are those that the fragments may name: none where they become part
// of other statements too, which number their parameters in another way.
func (o *sources) parameters(p *plan) []int {
	if o.repeated {
		return nil
	}
	return p.scoped.Used
}

// free is the number of the first parameter that the fragments may have for
// themselves, 0 for none.
func (o *sources) free(p *plan) int {
	if o.repeated {
		return 0
	}
	return len(p.scoped.Used) + len(p.scoped.Lists) + len(o.args) + 1
}

// release gives back what was brought and drops tables.
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

// giveBack gives back the rows that were brought.
func (o *sources) giveBack() {
	for _, release := range o.given {
		release()
	}
}

func (o *sources) add(ctx context.Context, pin *resolver.Pin, p *plan, i int, args [][]byte) error {
	r := &p.relations[i]
	o.session.reading(r)
	var fragment, source string
	var err error
	report := windowReport{relation: r}
	switch {
	case r.Type != nil:
		fragment, err = o.window(ctx, pin, p, i, args, &report)
	case o.dry:
		fragment = r.EmptySource(p.scoped.Needs[i])
	case r.Virtual != nil:
		fragment, err = o.virtual(ctx, pin, r)
	case r.Table != "":
		fragment, o.once = "SELECT * FROM "+r.Table, true
	case live[r.Catalog.Name] != nil:
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
	if place, asked := p.scoped.Needs[i].System["ctid"]; asked && r.Catalog != nil {
		source = withCTIDs(source, place)
	}
	o.fragments = append(o.fragments, source)
	o.windows = append(o.windows, report)
	return nil
}

// bring is the rows of a search, which the sources release.
func (o *sources) bring(ctx context.Context, db *database.Database, s storage.Search) (storage.Result, error) {
	f, err := db.Storage.Find(ctx, db.Engine, s)
	if err == nil && f.Release != nil {
		o.given = append(o.given, f.Release)
	}
	o.guessed.saw(f.Newest)
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
