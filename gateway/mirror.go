package gateway

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/resolver"
)

// pinned is a pin as the mirror sees it (mirror.History).
type pinned struct {
	db  *Database
	pin *resolver.Pin
}

var _ mirror.History = pinned{}

// Head is the pin's (mirror.History).
func (p pinned) Head() ontosql.CommitID { return p.pin.Head.Commit }

// Mark is the path of a commit's manifest, which no other commit has
// (mirror.History).
func (p pinned) Mark(c ontosql.CommitID) string {
	if e := p.pin.View.Commit(c); e != nil {
		return e.Path
	}
	return ""
}

// Type asks the pin's catalog (mirror.History).
func (p pinned) Type(ref ontosql.TypeRef) (*catalog.Type, bool) { return p.pin.Catalog.Type(ref) }

// Size counts what the manifests say (mirror.History).
func (p pinned) Size(t *catalog.Type, after, through ontosql.CommitID) (files int, rows int64) {
	return p.pin.View.Count(t.Ref, max(after, 0), through)
}

// recentRows are the rows of a range of commits of this gateway that are remembered. It is
// nil if some are not, if they are too many for the text of a statement, or if the engine
// might read them in another way than from their files.
func (p pinned) recentRows(t *catalog.Type, after, through ontosql.CommitID) *mirror.Rows {
	after = max(after, 0)
	if _, n := p.Size(t, after, through); n > ingest.MaxTextRows || after+1 < t.Floor {
		return nil
	}
	rows, ok := p.db.own.files.takeRows(p.pin.View.Files(t.Ref, after, through))
	if !ok || len(rows) == 0 {
		return nil
	}
	for i := range rows {
		if !ingest.Plain(&rows[i]) {
			return nil
		}
	}
	files := []scan.File{{Rows: ingest.Values(t, rows), Facts: ingest.RowFacts(t), Min: after + 1, Max: through}}
	sql, _, err := scan.Stored(scan.Request{Type: t, Window: ontosql.Window{Lower: after, Upper: through}, Files: files})
	if err != nil {
		return nil // the files will tell
	}
	unreadable, err := scan.UnreadableByCommit(t, files, after, mirror.Versions)
	if err != nil {
		return nil
	}
	return &mirror.Rows{SQL: sql, Unreadable: unreadable, Bytes: int64(len(sql)), Release: func() {}}
}

// Rows are those that the last commits of this gateway wrote, as it remembers
// them, or those of the storage (mirror.History).
func (p pinned) Rows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (*mirror.Rows, error) {
	if rows := p.recentRows(t, after, through); rows != nil {
		return rows, nil
	}
	r := scan.Request{Type: t, Window: ontosql.Window{Lower: max(after, 0), Upper: through}}
	s := search{pin: p.pin, typ: t, window: r.Window, warn: func(string, string) {}}
	if tables, ok := p.db.storage.(*Tables); ok {
		if rows, err := tables.stream(ctx, p.db.engine, s); rows != nil || err != nil {
			return rows, err
		}
	}
	f, err := p.db.storage.find(ctx, p.db.engine, s)
	if err != nil {
		return nil, err
	}
	r.Files = f.files
	rows := &mirror.Rows{Release: f.giveBack}
	if f.size != nil {
		rows.Bytes = f.size()
	}
	if rows.SQL, rows.Duplicates, err = scan.Stored(r); err == nil {
		rows.Unreadable, err = scan.UnreadableByCommit(t, r.Files, r.Window.Lower, mirror.Versions)
	}
	if err != nil {
		f.giveBack()
		return nil, err
	}
	return rows, nil
}

// mirrored is the mirror's part of a window of a type, nil where it has none. keys are
// those of a search.
func (o *sources) mirrored(pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) *mirror.Use {
	db := o.session.db
	if db.mirror == nil || o.unmirrored || o.session.drafted(pin) {
		return nil
	}
	h := pinned{db: db, pin: pin}
	if db.followed.Swap(pin) != pin {
		db.mirror.Follow(h)
	}
	// A database has an index of its own.
	indexed := len(keys) > 0 && db.storage.source() == sourceTable
	u := db.mirror.Use(h, t, mirror.Window{Window: w, Repeated: o.repeated, Indexed: indexed})
	if u != nil {
		o.uses = append(o.uses, u)
		o.once = o.once || o.repeated // mirror.Window
	}
	return u
}

// errMirrorMoved: the mirror was extended since the statement's sources were
// found. They are found again.
var errMirrorMoved = errors.New("mirror was extended")

// begin keeps the mirror's tables as they are while the engine plans and starts
// a statement over the sources.
func (o *sources) begin() (end func(), err error) {
	end, ok := mirror.Begin(o.read())
	if !ok {
		return nil, errMirrorMoved
	}
	return end, nil
}

// overMirror finds sources like those given and runs a statement over them, again
// when the mirror was extended in between. Where the engine cannot read the
// mirror, the statement is answered from files. The sources are released where
// run fails, and are run's else.
func overMirror[R any](ctx context.Context, like sources, run func(src *sources) (R, error)) (R, error) {
	var doubted []*mirror.Use
	var cause error
	for {
		src := like
		src.unmirrored = cause != nil
		r, err := run(&src)
		if err == nil {
			if cause != nil {
				src.session.db.mirror.Distrust(doubted, cause)
			}
			src.tell()
			return r, nil
		}
		src.release(context.WithoutCancel(ctx))
		switch {
		case errors.Is(err, errMirrorMoved):
		case len(src.uses) > 0 && ctx.Err() == nil && mirror.Doubtful(err):
			doubted, cause = src.uses, err
		default:
			if src.guessed.holds() == nil { // else it runs again
				src.tell() // what is wrong with the rows may be why
			}
			return r, err
		}
	}
}

// start runs SQL over the sources. The statement is nil where the session keeps
// it; else the caller closes it, after the rows.
func (o *sources) start(ctx context.Context, sql string, args []any) (*duckdb.Rows, *duckdb.Stmt, error) {
	end, err := o.begin()
	if err != nil {
		return nil, nil, err
	}
	defer end()
	st, kept, err := o.session.prepare(ctx, sql, !o.once)
	if err != nil {
		return nil, nil, err
	}
	if o.few {
		st.RunAlone()
	}
	rows, err := o.query(ctx, st, args, end)
	switch {
	case kept:
		return rows, nil, err
	case err != nil:
		st.Close()
		return nil, nil, err
	}
	return rows, st, nil
}

// query runs a statement over the sources that was planned since begin, and ends
// what begin began.
func (o *sources) query(ctx context.Context, st *duckdb.Stmt, args []any, end func()) (*duckdb.Rows, error) {
	rows, err := st.QuerySettled(ctx, args, end)
	if !errors.Is(err, duckdb.ErrCutOff) {
		return rows, err
	}
	// Its own error is behind that, most likely.
	end, err = o.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return st.Query(ctx, args)
}

// doubt is told of an error in the middle of a statement's rows: this statement
// is lost, and the next one is answered from files.
func (o *sources) doubt(err error) {
	if uses := o.read(); len(uses) > 0 && mirror.Doubtful(err) {
		o.session.db.mirror.Distrust(uses, err)
	}
}

// read are the uses of the mirror that the fragments stand for.
func (o *sources) read() []*mirror.Use { return slices.Concat(o.uses, o.borrowed) }
