package keyquery

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/rowstore"
)

// reading reads the rows of one table.
type reading struct {
	*table
	at   At
	rows rowstore.Reader
	read column.Batch // the stored columns
	keys map[string][]int
	// unlisted says that all rows that are read are the answer: find need not tell which.
	unlisted bool
}

func (t *table) open(at At) *reading {
	r := &reading{table: t, at: at, rows: rowstore.Reader{Use: at.Use, Lower: at.Lower, Upper: at.Upper, Columns: t.stored, Rows: maxRows}}
	r.read.Cols = make([]column.Vector, len(t.stored))
	return r
}

// find are the rows of some keys, of each identity the older ones first. Those of a key that was found before are
// not read again.
func (r *reading) find(ctx context.Context, given values) ([]int, error) {
	var one [1][]string // most look-ups are for one key
	keys, ok := beginnings(one[:0], r.table.keys, given)
	if !ok {
		return nil, errUndecided
	}
	var found []int
	for i, texts := range keys {
		rows, err := r.rowsOf(ctx, texts, given)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			found = slices.Clip(rows)
		} else {
			found = append(found, rows...)
		}
	}
	return found, nil
}

func (r *reading) rowsOf(ctx context.Context, texts []string, given values) ([]int, error) {
	key := ""
	if given.rows != nil && len(r.rest) == 0 { // other joined rows may have the same
		key = strings.Join(texts, "\x00")
		if rows, ok := r.keys[key]; ok {
			return rows, nil
		}
	}
	first, read := r.read.Len, r.rows.Newest
	if r.versions {
		read = r.rows.Versions
	}
	all, err := read(ctx, &r.read, texts)
	switch {
	case err != nil:
		return nil, err
	case !all:
		return nil, errUndecided
	}
	if r.unlisted {
		return nil, nil
	}
	rows := make([]int, 0, r.read.Len-first)
	for row := first; row < r.read.Len; row++ {
		if r.holds(row, given) {
			rows = append(rows, row)
		}
	}
	if r.versions {
		r.oldestFirst(rows)
	}
	if key != "" {
		if r.keys == nil {
			r.keys = map[string][]int{}
		}
		r.keys[key] = rows
	}
	return rows, nil
}

// holds reports whether the conditions on later key columns hold for a row.
func (r *reading) holds(row int, given values) bool {
	for i := range r.rest {
		text := r.read.Cols[r.restAt[i]].Str[row]
		if !slices.ContainsFunc(conditionTexts(&r.rest[i], given), func(allowed string) bool { return allowed == string(text) }) {
			return false
		}
	}
	return true
}

// oldestFirst turns the versions of each identity round. No row of an identity is left out.
func (r *reading) oldestFirst(rows []int) {
	for first := 0; first < len(rows); {
		end := first + 1
		for end < len(rows) && r.rows.Next[rows[end]] != 0 {
			end++
		}
		slices.Reverse(rows[first:end])
		first = end
	}
}

// made are the slots of the rows that were found.
func (r *reading) made() (*column.Batch, error) {
	if r.isDirect() {
		return &r.read, nil
	}
	made := &column.Batch{Len: r.read.Len, Cols: make([]column.Vector, len(r.table.slots))}
	for i := range r.table.slots {
		var err error
		if made.Cols[i], err = r.make(&r.table.slots[i], r.at.View, &r.read, r.rows.Next); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// make makes the values of a slot.
func (t *table) make(s *slot, view *chain.View, rows *column.Batch, next []ontosql.CommitID) (column.Vector, error) {
	of := &rows.Cols[s.column]
	switch s.from {
	case fromStored:
		return *of, nil
	case fromImage:
		return images(of, func(i int) int { return i }, rows.Len)
	case fromBefore:
		return images(of, func(i int) int { return before(next, i) }, rows.Len)
	case fromChanged:
		return t.changedFields(of, next, rows.Len)
	}
	v := column.Vector{Type: s.typ}
	for i := range rows.Len {
		switch s.from {
		case fromCommitTime:
			if err := appendTime(&v, view, ontosql.CommitID(of.I64[i])); err != nil {
				return v, err
			}
		case fromNextTime:
			if next[i] == 0 {
				v.I64 = append(v.I64, 0)
				v.SetNull(i, rows.Len)
			} else if err := appendTime(&v, view, next[i]); err != nil {
				return v, err
			}
		case fromNextCommit:
			if v.I64 = append(v.I64, int64(next[i])); next[i] == 0 {
				v.SetNull(i, rows.Len)
			}
		case fromCurrent:
			v.Bool = append(v.Bool, next[i] == 0)
		case fromChange:
			kind := "update"
			if before(next, i) < 0 {
				kind = "insert"
			}
			v.Str = append(v.Str, []byte(kind))
		}
	}
	return v, nil
}

// appendTime appends the time of a commit.
func appendTime(to *column.Vector, view *chain.View, id ontosql.CommitID) error {
	c := view.Commit(id)
	if c == nil {
		return errUndecided
	}
	to.I64 = append(to.I64, c.Manifest.CreatedAt.UnixMicro())
	return nil
}

// before is the row of the version before that of a row, -1 for none.
func before(next []ontosql.CommitID, row int) int {
	if row+1 < len(next) && next[row+1] != 0 {
		return row + 1
	}
	return -1
}

// images are the stored documents of rows, NULL for row -1. One that not every reader of JSON reads is left to the
// engine.
func images(stored *column.Vector, of func(row int) int, n int) (column.Vector, error) {
	v := column.Vector{Type: jsonType, Str: make([][]byte, n)}
	for i := range n {
		row := of(i)
		if row < 0 {
			v.SetNull(i, n)
			continue
		}
		if v.Str[i] = stored.Str[row]; !json.Valid(v.Str[i]) || !format.PlainJSON(v.Str[i]) {
			return v, errUndecided
		}
	}
	return v, nil
}
