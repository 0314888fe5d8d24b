package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
)

// view implements mirror.History.
type view struct {
	world   *world
	commits []commit
	types   []*catalog.Type
}

func (v *view) Head() ontosql.CommitID { return ontosql.CommitID(len(v.commits)) }

func (v *view) Mark(c ontosql.CommitID) string {
	if c < 1 || int(c) > len(v.commits) {
		return ""
	}
	return v.commits[c-1].mark
}

func (v *view) Type(ref ontosql.TypeRef) (*catalog.Type, bool) {
	for _, t := range v.types {
		if t.Ref == ref {
			return t, true
		}
	}
	return nil, false
}

func (v *view) files(t *catalog.Type, after, through ontosql.CommitID) []scan.File {
	var files []scan.File
	for id := max(after+1, t.Floor, 1); id <= through; id++ {
		files = append(files, v.commits[id-1].files[t.Ref]...)
	}
	return files
}

func (v *view) Size(t *catalog.Type, after, through ontosql.CommitID) (files int, rows int64) {
	all := v.files(t, after, through)
	for _, f := range all {
		rows += f.Facts.Rows
	}
	return len(all), rows
}

func (v *view) Rows(_ context.Context, t *catalog.Type, after, through ontosql.CommitID) (*mirror.Rows, error) {
	files := v.files(t, after, through)
	r := &mirror.Rows{Bytes: 1000 * int64(len(files)), Release: func() {}}
	var err error
	if r.Unreadable, err = scan.UnreadableByCommit(t, files, after, mirror.Versions); err != nil {
		return nil, err
	}
	r.SQL, r.Duplicates, err = scan.Stored(scan.Request{Type: t, Files: files, Window: ontosql.Window{Lower: after, Upper: through}})
	return r, err
}

// answer reads a window through the mirror, or from files only if m is nil. used reports
// whether the mirror was read.
func (v *view) answer(conn *duckdb.Conn, m *mirror.Mirror, typ *catalog.Type, win ontosql.Window, keys []scan.KeyEqual, args ...any) (rows []string, used bool, err error) {
	for m != nil {
		u := m.Use(v, typ, mirror.Window{Window: win})
		if u == nil {
			break
		}
		rows, err = v.run(conn, u, typ, win, keys, args)
		u.Release()
		switch {
		case err == nil:
			return rows, true, nil
		case errors.Is(err, errMoved):
			continue
		case !mirror.IsReadError(err):
			return nil, false, err
		}
		m.Invalidate([]*mirror.Use{u}, err)
		break
	}
	rows, err = v.run(conn, nil, typ, win, keys, args)
	return rows, false, err
}

var errMoved = errors.New("the mirror was extended")

func (v *view) run(conn *duckdb.Conn, u *mirror.Use, typ *catalog.Type, win ontosql.Window, keys []scan.KeyEqual, args []any) (rows []string, err error) {
	r := scan.Request{Type: typ, Window: win, KeyEquals: keys, Commits: "commits"}
	for i, name := range []string{"commit_id", "schema_version_id", "fields_json", "committed_at"} {
		if win.Mode == ontosql.Latest {
			r.Hidden = append(r.Hidden, scan.Hidden{Name: name, As: fmt.Sprintf("h%d", i)})
		}
	}
	var uses []*mirror.Use
	lower := win.Lower
	if u != nil {
		uses, r.Mirror, lower = []*mirror.Use{u}, &u.Source, max(lower, u.Source.Through)
	}
	r.Files = v.files(typ, lower, win.Upper)
	sql, err := scan.SQL(r)
	if err != nil {
		return nil, err
	}
	end, ok := mirror.Begin(uses)
	if !ok {
		return nil, errMoved
	}
	ctx := context.Background()
	st, err := conn.Prepare(ctx, "SELECT CAST(to_json(t) AS VARCHAR) FROM ("+sql+") AS t")
	if err != nil {
		end()
		return nil, fmt.Errorf("%w\n%s", err, sql)
	}
	defer st.Close()
	result, err := st.QueryOnSnapshot(ctx, args[:st.Params()], end) // a window without rows has no parameters
	end()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, sql)
	}
	defer result.Close()
	for {
		b, err := result.Next(ctx)
		if err == io.EOF {
			slices.Sort(rows)
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, sql)
		}
		for i := range b.Len {
			rows = append(rows, string(b.Cols[0].Str[i]))
		}
	}
}

// settled reads types until their tables, if they have rows, reach the view's head.
func (v *view) settled(m *mirror.Mirror, refs ...ontosql.TypeRef) {
	v.world.t.Helper()
	v.settledWithin(m, testenv.Patience, refs...)
}

func (v *view) settledWithin(m *mirror.Mirror, limit time.Duration, refs ...ontosql.TypeRef) {
	v.world.t.Helper()
	m.Follow(v)
	deadline := time.Now().Add(limit)
	for _, ref := range refs {
		typ, _ := v.Type(ref)
		if files, _ := v.Size(typ, 0, v.Head()); files == 0 {
			continue
		}
		for {
			if u := m.Use(v, typ, mirror.Window{Window: ontosql.Window{Upper: v.Head()}}); u != nil {
				through := u.Source.Through
				u.Release()
				if through >= v.Head() && !building(m, ref) {
					break
				}
			}
			if time.Now().After(deadline) {
				v.world.t.Fatalf("%s is not mirrored through commit %d: %+v", ref, v.Head(), m.Status())
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// building reports whether the tables of a type are still being written.
func building(m *mirror.Mirror, ref ontosql.TypeRef) bool {
	return slices.ContainsFunc(m.Status(), func(s mirror.TypeStatus) bool { return s.Type == ref && s.State == "building" })
}
