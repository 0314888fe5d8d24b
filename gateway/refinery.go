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
// canonical form, typed columns, and facts.
type refinery struct {
	kind    ontosql.Kind
	keys    int // columns of the identity
	fields  *typedReader
	speller format.Speller

	rows        int64
	unread      int64 // rows whose fields are not in the typed columns
	odd         bool  // fields_json of some row is not format.PlainJSON
	size        int64 // of the texts in bytes
	least, most ontosql.CommitID
	doubles     doubles
	next        *succession // nil where nobody asks for it; else it does the work of doubles
	broken      broken
}

// broken are the rows of which fields_json is no JSON.
type broken struct {
	table string
	first int64 // its number in the table, 0 where the cursor does not say
	rows  int64
}

// add takes in row i of a cursor's batch, in which a column may have its number.
func (b *broken) add(rows *column.Batch, numbers, i int) {
	if b.rows++; b.first == 0 && len(rows.Cols) > numbers {
		b.first = rows.Cols[numbers].I64[i]
	}
}

// String says it to the client, "" for none.
func (b *broken) String() string {
	if b.rows == 0 {
		return ""
	}
	return fmt.Sprintf("%d rows of %s have fields_json that is no JSON and read as NULL, row %d first", b.rows, b.table, b.first)
}

func newRefinery(kind ontosql.Kind, fields *typedReader) *refinery {
	return &refinery{
		kind: kind, keys: len(scan.KeyColumns(kind)), fields: fields, doubles: doubles{seed: maphash.MakeSeed()}, broken: broken{table: kind.String() + "_history"},
	}
}

// begin forgets all rows but their shapes.
func (r *refinery) begin() {
	r.doubles.known.clear()
	*r = refinery{
		kind: r.kind, keys: r.keys, fields: r.fields, speller: r.speller,
		doubles: doubles{seed: r.doubles.seed, known: r.doubles.known}, broken: broken{table: r.broken.table},
	}
}

// inFile is about what the rows would fill in a data file, in bytes.
func (r *refinery) inFile() int64 { return r.size / 2 }

// fed is a batch on its way: what is made of a cursor's, a batch of ownColumns,
// typedFields and the readColumn.
type fed struct {
	batch column.Batch
	texts []byte
	ends  []int // of the texts, column by column
}

var errCursor = errors.New("cursor gives other columns than those of a version")

// fill makes a batch of a cursor's, of which it keeps nothing.
func (r *refinery) fill(f *fed, b *column.Batch) error {
	if len(b.Cols) < r.keys+3 {
		return errCursor
	}
	commits, versions, fields := &b.Cols[r.keys], &b.Cols[r.keys+1], &b.Cols[r.keys+2]
	columns := len(r.fields.fields) + 1
	if r.next != nil {
		columns += 2
	}
	f.reset(r.keys, columns, b.Len)
	for k := range r.keys {
		for i, key := range b.Cols[k].Str[:b.Len] {
			if !utf8.Valid(key) {
				return ontosql.Corrupt(r.broken.table, scan.KeyColumns(r.kind)[k], "%q of commit %d is no UTF-8", key, commits.I64[i])
			}
			f.add(key)
		}
	}
	typed := f.batch.Cols[r.keys+3:]
	r.fields.begin(typed, b.Len)
	for i, text := range fields.Str[:b.Len] {
		start := len(f.texts)
		shape, ok := f.addFields(text, &r.speller)
		// What is sliced of the texts stays what it is when they are moved.
		canonical := f.texts[start:]
		plain := shape != nil && shape.Plain || ok && format.PlainJSON(canonical)
		switch {
		case !ok:
			r.broken.add(b, r.keys+3, i)
		case !plain:
			r.odd = true
		}
		if !plain || !r.fields.read(canonical, shape, typed, i) {
			r.unread++
		}
	}
	f.cut(r.keys + 1)
	n := r.keys + 1
	f.batch.Cols[n].I64 = append(f.batch.Cols[n].I64[:0], commits.I64[:b.Len]...)
	f.batch.Cols[n+1].I64 = append(f.batch.Cols[n+1].I64[:0], versions.I64[:b.Len]...)
	f.batch.Cols[n+1].Valid = slices.Clone(versions.Valid) // seldom there
	r.learn(f)
	if r.next != nil {
		return r.succeed(f)
	}
	return nil
}

// learn takes the facts of a batch.
func (r *refinery) learn(f *fed) {
	r.size += int64(len(f.texts))
	for i, c := range f.batch.Cols[r.keys+1].I64 {
		commit := ontosql.CommitID(c)
		if r.rows == 0 {
			r.least = commit
		}
		r.least, r.most = min(r.least, commit), max(r.most, commit)
		r.rows++
		if r.next == nil {
			r.doubles.add(commit, f.batch.Cols[:r.keys], i)
		}
	}
}

// leave leaves to others what the batch has of the rows it was made of.
func (f *fed) leave() {
	f.texts, f.batch.Texts = nil, nil
	for i := range f.batch.Cols {
		f.batch.Cols[i] = column.Vector{Type: f.batch.Cols[i].Type}
	}
}

// reset makes the batch one of n rows, with so many columns behind the ownColumns.
func (f *fed) reset(keys, columns, n int) {
	f.texts, f.ends = f.texts[:0], f.ends[:0]
	if f.batch.Cols == nil {
		f.batch.Cols = make([]column.Vector, keys+3+columns)
		for i := range keys + 1 {
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
func (f *fed) addFields(text []byte, speller *format.Speller) (shape *format.Shape, ok bool) {
	var err error
	if f.texts, shape, err = speller.Append(f.texts, text); err != nil {
		for len(text) > 0 {
			r, n := utf8.DecodeRune(text)
			f.texts, text = utf8.AppendRune(f.texts, r), text[n:]
		}
	}
	f.ends = append(f.ends, len(f.texts))
	return shape, err == nil
}

// cut makes the columns of text, when all texts are there: so many.
func (f *fed) cut(columns int) {
	start, n := 0, f.batch.Len
	for k := range columns {
		c := &f.batch.Cols[k]
		c.Str = c.Str[:0]
		for _, end := range f.ends[k*n : (k+1)*n] {
			c.Str = append(c.Str, f.texts[start:end:end])
			start = end
		}
	}
	f.batch.Texts = f.texts
}

// appendRows appends the batch as rows.
func (f *fed) appendRows(rows []format.Row, kind ontosql.Kind) []format.Row {
	cols := f.batch.Cols
	keys := len(scan.KeyColumns(kind))
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
