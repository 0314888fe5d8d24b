package reading

import (
	"context"
	"regexp"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/rowlock"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/workspace"
)

// Sources are the FROM items of the references of one execution of a plan, with the resources
// that they hold until Release.
type Sources struct {
	Session   *session.Session
	Spec      *Speculation // of the pin; nil if the pin is certain
	Dry       bool         // nothing is fetched, for EXPLAIN
	Spare     bool         // a single row may be the answer without the engine (ingest.Lookup)
	Parts     Parts        // the rows of the statement's parts that have run
	few       bool         // there are few rows to process
	Fragments []string
	args      []any          // parameters of the fragments, behind those of the statement
	keyed     []int          // the references whose fragments have only the rows of the keys asked for
	Answered  *column.Batch  // the answer of ingest.Lookup; nil if the engine answers
	Windows   []WindowReport // one for each reference, for EXPLAIN
	given     []func()       // release functions of the rows that were found

	Uses       []*mirror.Use
	Borrowed   []*mirror.Use // of other sources, whose fragments these are
	Repeated   bool          // the fragments are run more than once
	unmirrored bool          // the mirror is not used
	tables     []string      // loaded for this execution
	Once       bool          // the fragments name tables or rows of this execution
	shared     bool          // they read ordinary tables that other sessions write
	warnings   []*pgerr.Error
	snapshot   *workspace.Snapshot // of ordinary tables, nil before the first is found
}

// Parts are the tables with the rows of the parts of a statement, by their number in
// syntax.Statement.Parts.
type Parts map[int]relation.WorkTable

// Borrow are sources with the same rows, for a stream that is closed before them.
func (o *Sources) Borrow() *Sources {
	return &Sources{Session: o.Session, Fragments: o.Fragments, Borrowed: o.Uses, Once: o.Once, shared: o.shared, args: o.args, keyed: o.keyed}
}

// warn keeps a warning until Tell. Sources may be found more than once for a statement, and
// the client gets the warnings of those that it is answered from.
func (o *Sources) warn(w *pgerr.Error) { o.warnings = append(o.warnings, w) }

// Tell sends the warnings to the client.
func (o *Sources) Tell() {
	for _, w := range o.warnings {
		o.Session.Notice(w)
	}
	o.warnings = nil
}

// WindowReport is what EXPLAIN shows of one reference.
type WindowReport struct {
	Relation *relation.Relation
	Window   ontosql.Window
	Need     scope.Need
	Keys     relation.KeyBounds
	Stored   storage.Report   // of the rows that are read from the storage
	Before   storage.Report   // of a diff without the mirror: of those at its first point
	Point    bool             // it is answered from the row store
	Mirrored bool             // a part of it is read from the mirror,
	Through  ontosql.CommitID // up to this commit
}

// Find finds the data of every reference at pin. The caller releases the sources, after
// an error too.
func (o *Sources) Find(ctx context.Context, pin *resolver.Pin, p *planner.Plan, args [][]byte) error {
	if len(p.Parts) > 0 && o.Parts == nil && !o.Dry {
		return pgerr.Unsupported("a data-modifying statement in WITH is not supported here")
	}
	done, err := o.byKey(ctx, pin, p, args)
	if err != nil {
		return err
	}
	for i := 0; i < len(p.Relations) && !done; i++ {
		if err := o.add(ctx, pin, p, i, args); err != nil {
			return err
		}
	}
	if a := o.Session.Running.Account; a != nil {
		a.SetSource(o.rowSource())
	}
	return nil
}

// parameters are the parameters that the fragments may name. There are none if the
// fragments become part of other statements too, which number their parameters in another
// way.
func (o *Sources) parameters(p *planner.Plan) []int {
	if o.Repeated {
		return nil
	}
	return p.Scoped.Used
}

// free is the number of the first parameter that fragments may add, 0 for none.
func (o *Sources) free(p *planner.Plan) int {
	if o.Repeated {
		return 0
	}
	return len(p.Scoped.Used) + len(p.Scoped.Lists) + len(o.args) + 1
}

// Snapshot is what the statement sees of ordinary tables.
func (o *Sources) Snapshot() workspace.Snapshot {
	if o.snapshot == nil {
		now := o.Session.Tables.Snapshot(o.Session.KeepsSnapshot())
		o.snapshot = &now
	}
	return *o.snapshot
}

// Release releases the rows and the mirror and drops the tables.
func (o *Sources) Release(ctx context.Context) {
	o.giveBack()
	for _, u := range o.Uses {
		u.Release()
	}
	for _, table := range o.tables {
		if err := dropLoaded(ctx, o.Session, table); err != nil {
			o.Session.Log.WarnContext(ctx, "temporary relation stays", "error", err)
		}
	}
}

// dropLoaded drops a table that load made; it need not exist.
func dropLoaded(ctx context.Context, s *session.Session, table string) error {
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	return conn.Exec(ctx, "DROP TABLE IF EXISTS "+table)
}

// giveBack releases the rows that the storage has found.
func (o *Sources) giveBack() {
	for _, release := range o.given {
		release()
	}
}

func (o *Sources) add(ctx context.Context, pin *resolver.Pin, p *planner.Plan, i int, args [][]byte) error {
	r := &p.Relations[i]
	if r.View != nil || r.Written { // its query has sources of its own
		o.Fragments = append(o.Fragments, "")
		return nil
	}
	o.Session.RecordRead(r)
	var fragment, source string
	var err error
	report := WindowReport{Relation: r}
	switch {
	case r.Type != nil:
		fragment, err = o.window(ctx, pin, p, i, args, &report)
	case o.Dry, r.Ref.Part > 0 && o.Parts[r.Ref.Part-1].Name == "": // a part that only unread queries name
		fragment = r.EmptySource(p.Scoped.Needs[i])
	case r.Ref.Part > 0:
		fragment, o.Once = r.PartSource(o.Parts[r.Ref.Part-1]), true
	case r.Stored != nil && r.Stored.Unpopulated:
		err = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "materialized view %q has not been populated", r.Stored.Name).
			WithHint("Use the REFRESH MATERIALIZED VIEW command.")
	case r.Stored != nil:
		fragment, o.Once = r.StoredSource(p.Scoped.Needs[i], o.snapshotOf(r), rowlock.Unlocked(o.Session, p, i)), true
		o.shared = o.shared || r.Stored.Heap.Shared()
	case r.Virtual == introspect.DiffStat:
		fragment, err = o.diffStat(ctx, pin, p, r, args)
	case r.Virtual != nil:
		fragment, err = o.virtual(ctx, pin, r, p.Scoped.Needs[i], args)
	case r.Table != "":
		fragment, o.Once = "SELECT * FROM "+r.Table, true
	case o.Session.IsLive(r.Catalog.Name):
		fragment, err = o.live(r)
	default:
		source, err = o.Session.DB.CatalogSource(ctx, o.Session.Shown, r.Catalog)
	}
	if err != nil {
		return err
	}
	if source == "" {
		source = "(" + fragment + ")"
	}
	if place, asked := p.Scoped.Needs[i].System["ctid"]; asked && r.Catalog != nil {
		source = session.WithCTIDs(source, place)
	}
	o.Fragments = append(o.Fragments, source)
	o.Windows = append(o.Windows, report)
	return nil
}

// snapshotOf is what the statement sees of an ordinary table.
func (o *Sources) snapshotOf(r *relation.Relation) workspace.Snapshot {
	if r.Newest {
		return o.Session.Tables.WithOwn(o.Snapshot())
	}
	return o.Snapshot()
}

// bring finds rows in the storage. Release releases them.
func (o *Sources) bring(ctx context.Context, db *database.Database, s storage.Search) (storage.Result, error) {
	f, err := db.Storage.Find(ctx, db.Engine, s)
	if err == nil && f.Release != nil {
		o.given = append(o.given, f.Release)
	}
	o.Spec.sawHead(f.Newest)
	o.Once = o.Once || f.OneTime
	o.args = append(o.args, f.Args...)
	return f, err
}

// rowSource is where the rows of the references come from, for the query log.
func (o *Sources) rowSource() string {
	var mirrored, stored bool
	for _, w := range o.Windows {
		if w.Point && !o.Dry {
			return introspect.SourceRowStore
		}
		if w.Relation.Type != nil && !o.Dry {
			mirrored = mirrored || w.Mirrored
			stored = stored || !w.Mirrored || w.Stored.Some
		}
	}
	switch {
	case mirrored && stored:
		return introspect.SourceMirror + " and " + o.Session.DB.Storage.Source()
	case mirrored:
		return introspect.SourceMirror
	case stored:
		return o.Session.DB.Storage.Source()
	}
	return introspect.SourceNone
}

// ReadersOf are the references that read a source of the engine, a table or a file that it
// names without its schema or directory, by their places.
func (o *Sources) ReadersOf(source string) (of []int) {
	if source == "" {
		return nil
	}
	names := mirror.ReadAs(source)
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	name := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	for i, f := range o.Fragments {
		if name.MatchString(f) {
			of = append(of, i)
		}
	}
	return of
}
