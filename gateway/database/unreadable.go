package database

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
)

// unreadable remembers the numbers of unreadable values: stored values that are not of
// their column's type (decision A17). They are counted once for each column of a file,
// because files do not change.
type unreadable struct {
	mu     sync.Mutex
	counts map[fileColumn]int64
	clean  map[ontosql.TypeRef]clean
	fit    map[ontosql.TypeRef]map[fileColumn]bool // the scan.Misfits of which a statement has found no value in files
	wide   map[ontosql.TypeRef]map[fileColumn]bool // those of which one has found some
	widths atomic.Int64                            // changes of what DeclaredNumerics returns
}

// fileColumn is a column of a file. others distinguishes which rows of other schema
// versions it leaves out.
type fileColumn struct{ path, column, others string }

// clean is what the mirror knew of a type when a statement last read it: up to a commit
// the files have no unreadable value in these columns. It is kept because a change of the
// type makes the mirror start again, while most columns stay the same.
type clean struct {
	through ontosql.CommitID
	mark    string              // of the history at through (mirror.History)
	columns map[fileColumn]bool // without a path
}

// maxCountedRows bounds the rows of files in which a look-up by key counts all values. If
// the mirror is about to read a larger file, only the rows of the keys are counted: the
// mirror counts the others.
const maxCountedRows = 10_000

// CountUnreadable counts the unreadable values in files, for each of some columns. odd
// are the paths of the files that have some in columns of text. keys are the keys that
// the statement asks for, nil for all. use is what the statement reads of the mirror, nil
// for nothing.
func (db *Database) CountUnreadable(ctx context.Context, h storage.History, t *catalog.Type, cols []catalog.Column, files []scan.File, keys func() []scan.KeyEqual, use *mirror.Use) (total []int64, odd map[string]bool, err error) {
	known := &db.unreadable
	if use != nil {
		known.learn(h, t, use)
	}
	if len(cols) == 0 {
		return nil, nil, nil
	}
	total, odd = make([]int64, len(cols)), map[string]bool{}
	ask, rows := known.add(total, odd, h, t, cols, files)
	if len(ask) == 0 {
		return total, odd, nil
	}
	var only []scan.KeyEqual
	if rows > maxCountedRows && keys != nil && db.Mirror != nil && db.Mirror.Pending(t.Ref) {
		only = keys()
	}
	counted, err := db.askUnreadable(ctx, t, cols, ask, only)
	if err != nil {
		return nil, nil, err
	}
	for path, counts := range counted {
		sum(total, odd, path, cols, counts)
	}
	if only == nil {
		known.put(t, cols, ask, counted)
	}
	return total, odd, nil
}

// sum adds the counts of a file.
func sum(total []int64, odd map[string]bool, path string, cols []catalog.Column, counts []int64) {
	for i, n := range counts {
		total[i] += n
		if n > 0 && cols[i].Type.Kind == column.Text {
			odd[path] = true
		}
	}
}

// add adds what is known of files to total and odd. ask are the other files, which have
// so many rows.
func (u *unreadable) add(total []int64, odd map[string]bool, h storage.History, t *catalog.Type, cols []catalog.Column, files []scan.File) (ask []scan.File, rows int64) {
	if len(files) == 0 {
		return nil, 0
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	clean := u.clean[t.Ref]
	if h.Mark(clean.through) != clean.mark {
		clean.through = 0
	}
	names, counts := make([]fileColumn, len(cols)), make([]int64, len(cols))
	for i, c := range cols {
		names[i] = columnOf(t, c)
	}
	for _, f := range files {
		seen := true
		for i, c := range cols {
			counts[i] = 0
			if !scan.MayHaveUnreadable(c, f.Facts) || f.Max <= clean.through && clean.columns[names[i]] {
				continue
			}
			n, known := u.counts[names[i].of(f)]
			counts[i], seen = n, seen && known
		}
		if !seen {
			ask, rows = append(ask, f), rows+f.Facts.Rows
			continue
		}
		sum(total, odd, f.Path, cols, counts)
	}
	return ask, rows
}

// maxCounts bounds the number of counts.
const maxCounts = 1 << 19

// put remembers counts.
func (u *unreadable) put(t *catalog.Type, cols []catalog.Column, files []scan.File, counted map[string][]int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.counts) > maxCounts {
		clear(u.counts)
	}
	for _, f := range files {
		if f.Path == "" { // it is no file, and what it has is other rows next time
			continue
		}
		for i, c := range cols {
			n := int64(0)
			if of := counted[f.Path]; of != nil {
				n = of[i]
			}
			u.counts[columnOf(t, c).of(f)] = n
		}
	}
}

// learn remembers in which columns the mirror has no unreadable value, and in which all fit their
// declaration, if it has got further since the last time.
func (u *unreadable) learn(h storage.History, t *catalog.Type, use *mirror.Use) {
	through := use.Source.Through
	u.mu.Lock()
	defer u.mu.Unlock()
	if before, known := u.clean[t.Ref]; known && before.through == through && before.mark == h.Mark(through) || through > h.Head() {
		return
	}
	now := clean{through: through, mark: h.Mark(through), columns: map[fileColumn]bool{}}
	before := u.declared(t)
	for i, c := range t.Columns {
		if use.AllReadable(i) {
			now.columns[columnOf(t, c)] = true
		}
		if misfit, ok := scan.Misfit(c); ok {
			now.columns[columnOf(t, misfit)] = use.AllReadable(scan.MisfitPosition(t, i))
		}
	}
	u.clean[t.Ref] = now
	u.noteWidths(t, before)
}

// declared reports for each column of a type whether a statement may expect that all its values fit
// their declaration. The mirror knows more than statements that have read files.
func (u *unreadable) declared(t *catalog.Type) []bool {
	fits := make([]bool, len(t.Columns))
	for i, c := range t.Columns {
		misfit, ok := scan.Misfit(c)
		if !ok {
			continue
		}
		of := columnOf(t, misfit)
		mirrored, known := u.clean[t.Ref].columns[of]
		fits[i] = mirrored || !known && u.fit[t.Ref][of]
		fits[i] = fits[i] && !u.wide[t.Ref][of]
	}
	return fits
}

// noteWidths changes Widths if declared is not what it was before.
func (u *unreadable) noteWidths(t *catalog.Type, before []bool) {
	if !slices.Equal(before, u.declared(t)) {
		u.widths.Add(1)
	}
}

// DeclaredNumerics is the type with those numerics as narrow as they are declared of which a
// statement may expect that all values fit (decision A58). CountUnreadable of their scan.Misfits
// tells whether they do.
func (db *Database) DeclaredNumerics(t *catalog.Type) *catalog.Type {
	u := &db.unreadable
	u.mu.Lock()
	defer u.mu.Unlock()
	fits := u.declared(t)
	return t.WithDeclaredNumerics(func(i int) bool { return fits[i] })
}

// Widths changes whenever DeclaredNumerics returns another type than before.
func (db *Database) Widths() int64 { return db.unreadable.widths.Load() }

// Narrow says that all values of a column, which is a scan.Misfit, fit its declaration in the files
// that a statement reads.
func (db *Database) Narrow(t *catalog.Type, misfit catalog.Column) {
	u := &db.unreadable
	u.mu.Lock()
	defer u.mu.Unlock()
	u.note(&u.fit, t, misfit)
}

// Widen says that values of a column, which is a scan.Misfit, do not fit its declaration.
func (db *Database) Widen(t *catalog.Type, misfit catalog.Column) {
	u := &db.unreadable
	u.mu.Lock()
	defer u.mu.Unlock()
	u.note(&u.wide, t, misfit)
}

// MayNarrow reports whether it is not known of a column, which is a scan.Misfit, that values do not fit
// its declaration.
func (db *Database) MayNarrow(t *catalog.Type, misfit catalog.Column) bool {
	u := &db.unreadable
	u.mu.Lock()
	defer u.mu.Unlock()
	of := columnOf(t, misfit)
	_, mirrored := u.clean[t.Ref].columns[of]
	return !mirrored && !u.wide[t.Ref][of]
}

// note adds a scan.Misfit to a set.
func (u *unreadable) note(set *map[ontosql.TypeRef]map[fileColumn]bool, t *catalog.Type, misfit catalog.Column) {
	before := u.declared(t)
	if *set == nil {
		*set = map[ontosql.TypeRef]map[fileColumn]bool{}
	}
	if (*set)[t.Ref] == nil {
		(*set)[t.Ref] = map[fileColumn]bool{}
	}
	(*set)[t.Ref][columnOf(t, misfit)] = true
	u.noteWidths(t, before)
}

func columnOf(t *catalog.Type, c catalog.Column) fileColumn {
	of := fileColumn{column: c.Spelling + c.Field}
	if declared, ok := scan.MisfitType(c); ok {
		of.column += " as " + declared.String()
	}
	if c.Role == catalog.FromField { // a key is read the same in all versions
		of.others = scan.OtherVersions(t, c)
	}
	if len(c.Past) > 0 {
		of.column += fmt.Sprint(c.Past)
	}
	return of
}

func (c fileColumn) of(f scan.File) fileColumn {
	c.path = f.Path
	return c
}

// askUnreadable asks the engine for the counts of files, by path and for each of some
// columns.
func (db *Database) askUnreadable(ctx context.Context, t *catalog.Type, cols []catalog.Column, files []scan.File, keys []scan.KeyEqual) (map[string][]int64, error) {
	sql, err := scan.Unreadable(t, cols, files, keys)
	if err != nil {
		return nil, err
	}
	conn, err := db.Engine.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	counted := map[string][]int64{}
	err = conn.Each(ctx, sql, nil, func(b *column.Batch, i int) {
		path := string(b.Cols[0].Str[i])
		if counted[path] == nil {
			counted[path] = make([]int64, len(cols))
		}
		counted[path][b.Cols[1].I64[i]] += b.Cols[2].I64[i]
	})
	return counted, err
}
