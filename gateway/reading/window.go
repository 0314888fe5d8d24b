package reading

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// window is the FROM item of one reference to a type: its window over the mirror, the
// files and the rows that the transaction has staged.
func (o *Sources) window(ctx context.Context, pin *resolver.Pin, p *planner.Plan, i int, args [][]byte, report *WindowReport) (string, error) {
	s, r, need := o.Session, &p.Relations[i], p.Scoped.Needs[i]
	t, ok := pin.Catalog.Type(r.Type.Ref)
	if !ok {
		return "", sqlstate.UndefinedTable(r.Type.Table, r.Ref.Position)
	}
	w, err := WindowOf(ctx, s, pin, p, r, args)
	if err != nil {
		return "", err
	}
	if w.Lower, w.Upper, err = relation.NarrowWindow(need, w.Upper, args); err != nil {
		return "", err
	}
	report.Window = w
	report.Need, report.Keys = need, relation.NewKeyBounds(t, need, args, o.parameters(p))
	request := scan.Request{Type: cmp.Or(r.Narrow, t), Window: w, Commits: database.CommitsTable}
	if request.Staged, err = stagedRows(ctx, s, r); err != nil {
		return "", err
	}
	o.Once = o.Once || request.Staged != ""
	gap := w
	use := o.Mirrored(pin, t, w, report.Keys.First())
	if use != nil {
		if !o.Repeated && !o.Dry && report.Keys.CoverAll(need) {
			o.keyed = append(o.keyed, i)
		}
		request.Mirror = &use.Source
		request.Mirror.Plain = use.AllReadable(len(t.Columns)) // scan.Image
		report.Mirrored, report.Through = true, min(w.Upper, use.Source.Through)
		gap.Lower = max(gap.Lower, use.Source.Through)
		if err := o.warnOfIndex(ctx, pin, t, w); err != nil {
			return "", err
		}
	}
	var found storage.Result
	if w.Mode == ontosql.Diff && use == nil {
		found.Readable, err = o.diffFiles(ctx, pin, p, t, w, &request, report)
	} else {
		var answers *ingest.Lookup
		if o.Spare && use == nil && request.Staged == "" && report.Keys.CoverAll(need) {
			answers = lookUpOf(p, i, t)
		}
		found, err = o.Files(ctx, pin, t, gap, use != nil, o.free(p), answers, report)
		request.Files = found.Files
	}
	if err != nil {
		return "", err
	}
	if o.Dry {
		return r.EmptySource(need), nil
	}
	if found.Answer != nil {
		o.Answered = found.Answer
		return "", nil
	}
	request.KeyEquals = report.Keys.Equals()
	if err := o.checkUnreadable(ctx, pin, t, r.Narrow, need, &request, found.Readable, report.Keys, use); err != nil {
		return "", err
	}
	if wantsTimes(r, need) {
		if err := o.Spec.Confirm(); err != nil {
			return "", err
		}
		if err := s.DB.LoadCommits(ctx, pin.View); err != nil {
			return "", err
		}
	}
	if !r.Ref.All {
		request.Hidden = r.HiddenColumns(need)
		return scan.SQL(request)
	}
	history, err := scan.SQL(request)
	if err != nil {
		return "", err
	}
	return versionsAsTable(r, t, need, history), nil
}

// checkUnreadable warns of unreadable values in the files of a request, unless they are known to have none,
// and notes in it what it learns of the files.
func (o *Sources) checkUnreadable(ctx context.Context, pin *resolver.Pin, t, narrow *catalog.Type, need scope.Need, r *scan.Request, readable bool, keys relation.KeyBounds, use *mirror.Use) error {
	var files []scan.File
	if !readable {
		files = slices.Concat(r.Earlier, r.Files)
	}
	files, err := o.warnUnreadable(ctx, pin, t, narrow, r.Window.Mode, need, files, keys, use)
	if n := len(r.Earlier); err == nil && !readable {
		copy(r.Earlier, files[:n])
		r.Files = files[n:]
	}
	return err
}

// lookUpOf is the look-up by key of reference i of the plan, nil if the engine has to answer.
func lookUpOf(p *planner.Plan, i int, t *catalog.Type) *ingest.Lookup {
	r := &p.Relations[i]
	if !p.Scoped.LookUp || r.Mode != ontosql.Latest || r.Ref.All || t.Ref.Kind != ontosql.Entity {
		return nil
	}
	if p.LookUp == nil || p.LookUp.Type() != t {
		names := make([]string, len(p.Scoped.Columns))
		for k, c := range p.Scoped.Columns {
			names[k] = c.Column
		}
		p.LookUp = ingest.NewLookup(t, names)
	}
	if !p.LookUp.Possible() {
		return nil
	}
	return p.LookUp
}

// stagedRows are the rows that the transaction itself has written, which a
// reference sees unless it names a point.
func stagedRows(ctx context.Context, s *session.Session, r *relation.Relation) (string, error) {
	g := s.Tx.StagingOf(r.Type.Ref)
	if g == nil || r.Ref.Point != nil || s.Seen(g) == 0 {
		return "", nil
	}
	return g.SeenSQL(ctx, s.Seen(g))
}

// warnOfIndex warns of a damaged index of a type that is read from the mirror. The answer
// is right in spite of it.
func (o *Sources) warnOfIndex(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window) error {
	texts, err := o.Session.DB.Storage.Warnings(ctx, pin, t, w)
	for _, text := range texts {
		o.warn(warning(pgerr.IndexCorrupted, text))
	}
	return err
}

// warning is a WARNING about what was read. That of an index says what writes it anew.
func warning(code, text string) *pgerr.Error {
	w := sqlstate.Warning(code, "%s", text)
	if code == pgerr.IndexCorrupted {
		w = w.WithHint("Run \"ontosql index repair --apply\". The answer is correct all the same.")
	}
	return w
}

// Files finds the rows of a window in the storage. warned says that the client was warned
// of the index. first is the number of the first parameter that rows may become, 0 if
// they may not.
func (o *Sources) Files(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, warned bool, first int, answers *ingest.Lookup, report *WindowReport) (storage.Result, error) {
	s := storage.Search{Pin: pin, Type: t, Window: w, Keys: report.Keys.First(), Matches: report.Keys.Match, FirstParam: first, Lookup: answers, DryRun: o.Dry, Warn: func(code, text string) {
		if !warned || code != pgerr.IndexCorrupted {
			o.warn(warning(code, text))
		}
	}}
	if !s.Empty() && (answers == nil || !o.Spec.near()) {
		if err := o.Spec.Confirm(); err != nil {
			return storage.Result{}, err
		}
	}
	f, err := o.bring(ctx, o.Session.DB, s)
	report.Stored = f.Report
	return f, err
}

// versionsAsTable gives rows of history the columns of public, for FOR SYSTEM_TIME ALL.
func versionsAsTable(r *relation.Relation, t *catalog.Type, need scope.Need, history string) string {
	var cols []string
	all := catalog.VisibleColumns(t, r.Mode) // those of the shape, and the system columns behind them
	for i, name := range column.AliasesOf(all) {
		if i < len(r.Shape.Columns) {
			cols = append(cols, duckdb.Ident(name))
		} else if alias, asked := need.System[all[i].Name]; asked {
			cols = append(cols, duckdb.Ident(name)+" AS "+duckdb.Ident(alias))
		}
	}
	return "SELECT " + strings.Join(cols, ", ") + " FROM (" + history + ")"
}

func wantsTimes(r *relation.Relation, need scope.Need) bool {
	_, asked := need.System["committed_at"]
	return asked || r.Mode != ontosql.Latest
}
