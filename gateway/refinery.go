package gateway

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// refinery makes of a cursor's rows what a data file would have: fields_json in its
// canonical form, and facts.
type refinery struct {
	kind ontosql.Kind
	keys int // columns of the identity

	rows, odd   int64
	size        int64 // of the texts in bytes
	least, most ontosql.CommitID
	doubles     doubles
	broken      broken
}

// broken are the rows of which fields_json is no JSON.
type broken struct {
	table string
	first int64 // its number in the table, 0 where the cursor does not say
	rows  int64
}

// String says it to the client, "" for none.
func (b *broken) String() string {
	if b.rows == 0 {
		return ""
	}
	return fmt.Sprintf("%d rows of %s have fields_json that is no JSON and read as NULL, row %d first", b.rows, b.table, b.first)
}

func newRefinery(kind ontosql.Kind) *refinery {
	return &refinery{
		kind: kind, keys: len(scan.KeyColumns(kind)), doubles: doubles{seed: maphash.MakeSeed()}, broken: broken{table: kind.String() + "_history"},
	}
}

// inFile is about what the rows would fill in a data file, in bytes.
func (r *refinery) inFile() int64 { return r.size / 2 }

// fed is a batch on its way: a copy of the cursor's, and what is made of it, a batch
// of ownColumns and the tameColumn.
type fed struct {
	came      column.Batch // the columns that are read
	cameTexts []byte

	batch column.Batch
	texts []byte
	ends  []int // of the texts, column by column; those of the tameColumn are behind them
	tames []tamedRow
}

// tamedRow is a row that has a tame text, with its place among the texts.
type tamedRow struct{ row, start, end int }

var errCursor = errors.New("cursor gives other columns than those of a version")

// take copies the batch of a cursor.
func (f *fed) take(b *column.Batch, keys int) error {
	if len(b.Cols) < keys+3 {
		return errCursor
	}
	if f.came.Cols == nil {
		f.came.Cols = make([]column.Vector, min(len(b.Cols), keys+4))
	}
	f.came.Len = b.Len
	size := 0
	for k := range f.came.Cols {
		for _, text := range b.Cols[k].Str {
			size += len(text)
		}
	}
	all := slices.Grow(f.cameTexts[:0], size)
	for k := range f.came.Cols {
		from, to := &b.Cols[k], &f.came.Cols[k]
		to.Type, to.Str = from.Type, to.Str[:0]
		to.I64 = append(to.I64[:0], from.I64...)
		to.Valid = slices.Clone(from.Valid) // seldom there
		for _, text := range from.Str {
			start := len(all)
			all = append(all, text...)
			to.Str = append(to.Str, all[start:len(all):len(all)])
		}
	}
	f.cameTexts = all
	return nil
}

// fill makes the batch of the copy.
func (r *refinery) fill(f *fed) error {
	b := &f.came
	commits, versions, fields := &b.Cols[r.keys], &b.Cols[r.keys+1], &b.Cols[r.keys+2]
	f.reset(r.keys, b.Len)
	for k := range r.keys {
		for i, key := range b.Cols[k].Str[:b.Len] {
			if !utf8.Valid(key) {
				return ontosql.Corrupt(r.broken.table, scan.KeyColumns(r.kind)[k], "%q of commit %d is no UTF-8", key, commits.I64[i])
			}
			f.add(key)
		}
	}
	for i, text := range fields.Str[:b.Len] {
		if f.addFields(text) {
			continue
		}
		if r.broken.rows++; r.broken.first == 0 && len(b.Cols) > r.keys+3 {
			r.broken.first = b.Cols[r.keys+3].I64[i]
		}
	}
	f.tame(r.keys)
	f.cut(r.keys + 1)
	n := r.keys + 1
	f.batch.Cols[n].I64 = append(f.batch.Cols[n].I64[:0], commits.I64[:b.Len]...)
	f.batch.Cols[n+1].I64 = append(f.batch.Cols[n+1].I64[:0], versions.I64[:b.Len]...)
	f.batch.Cols[n+1].Valid = versions.Valid
	r.learn(f)
	return nil
}

// learn takes the facts of a batch.
func (r *refinery) learn(f *fed) {
	r.size += int64(len(f.texts))
	r.odd += int64(len(f.tames))
	for i, c := range f.batch.Cols[r.keys+1].I64 {
		commit := ontosql.CommitID(c)
		if r.rows == 0 {
			r.least = commit
		}
		r.least, r.most = min(r.least, commit), max(r.most, commit)
		r.rows++
		r.doubles.add(commit, f.batch.Cols[:r.keys], i)
	}
}

func (f *fed) reset(keys, n int) {
	f.texts, f.ends, f.tames = f.texts[:0], f.ends[:0], f.tames[:0]
	if f.batch.Cols == nil {
		f.batch.Cols = make([]column.Vector, keys+4)
		for i := range f.batch.Cols {
			f.batch.Cols[i].Type.Kind = column.Text
		}
		f.batch.Cols[keys+1].Type.Kind, f.batch.Cols[keys+2].Type.Kind = column.Int64, column.Int64
	}
	f.batch.Len = n
}

func (f *fed) add(text []byte) {
	f.texts = append(f.texts, text...)
	f.ends = append(f.ends, len(f.texts))
}

// addFields adds fields_json in its canonical form, and reports whether it is JSON at
// all: what is none stays what it is, and its columns read as NULL.
func (f *fed) addFields(text []byte) (ok bool) {
	var err error
	if f.texts, err = format.AppendCanonical(f.texts, text); err != nil {
		for len(text) > 0 {
			r, n := utf8.DecodeRune(text)
			f.texts, text = utf8.AppendRune(f.texts, r), text[n:]
		}
	}
	f.ends = append(f.ends, len(f.texts))
	return err == nil
}

// tame adds the tame texts of odd rows.
func (f *fed) tame(keys int) {
	n := f.batch.Len
	for i, end := range f.ends[keys*n:] {
		start := 0
		if at := keys*n + i; at > 0 {
			start = f.ends[at-1]
		}
		if text := f.texts[start:end]; odd(text) {
			start = len(f.texts)
			var changed bool
			if f.texts, changed = tame(f.texts, text); changed {
				f.tames = append(f.tames, tamedRow{i, start, len(f.texts)})
			} else {
				f.texts = f.texts[:start]
			}
		}
	}
}

// cut makes the columns of text, when all texts are there: so many, and the tameColumn.
func (f *fed) cut(columns int) {
	start, n := 0, f.batch.Len
	last := &f.batch.Cols[len(f.batch.Cols)-1]
	last.Str = slices.Grow(last.Str[:0], n)[:n]
	last.Valid = slices.Grow(last.Valid[:0], (n+63)/64)[:(n+63)/64]
	clear(last.Valid)
	for _, t := range f.tames {
		last.Str[t.row] = f.texts[t.start:t.end:t.end]
		last.Valid[t.row>>6] |= 1 << (t.row & 63)
	}
	for k := range columns {
		c := &f.batch.Cols[k]
		c.Str = c.Str[:0]
		for _, end := range f.ends[k*n : (k+1)*n] {
			c.Str = append(c.Str, f.texts[start:end:end])
			start = end
		}
	}
}

// appendRows appends the batch as rows.
func (f *fed) appendRows(rows []format.Row, kind ontosql.Kind) []format.Row {
	cols := f.batch.Cols
	keys := len(cols) - 4
	for i := range f.batch.Len {
		r := format.Row{Fields: cols[keys].Str[i], Commit: ontosql.CommitID(cols[keys+1].I64[i])}
		if !cols[keys+2].IsNull(i) {
			r.SchemaVersionID = cols[keys+2].I64[i]
		}
		if kind == ontosql.Relation {
			r.Left, r.Right, r.Instance = string(cols[0].Str[i]), string(cols[1].Str[i]), string(cols[2].Str[i])
		} else {
			r.Key = string(cols[0].Str[i])
		}
		rows = append(rows, r)
	}
	return rows
}
