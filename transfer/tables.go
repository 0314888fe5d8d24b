package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite"
)

// Tables is the Source of an ontology in a SQLite file.
type Tables struct {
	db  *sqlite.DB
	pin *resolver.Pin
}

// NewTables returns the ontology in db at pin.
func NewTables(db *sqlite.DB, pin *resolver.Pin) *Tables { return &Tables{db, pin} }

// Pin implements Source.
func (t *Tables) Pin() *resolver.Pin { return t.pin }

// Rows implements Source. Errors are those of sqlite.Cursor.Next.
func (t *Tables) Rows(ctx context.Context, types []ontosql.TypeRef, lower, upper ontosql.CommitID) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if types == nil {
			types = typesIn(t.pin)
		}
		var runs []*tableRun
		for _, ref := range types {
			// A type that has rows but is not registered is missing in the catalog.
			c, err := t.db.Versions(ctx, t.pin, &catalog.Type{Ref: ref}, ontosql.Window{Mode: ontosql.History, Lower: lower, Upper: upper}, nil)
			if err != nil {
				yield(Stored{}, err)
				return
			}
			defer c.Close()
			r := &tableRun{ref: ref, cursor: c}
			if err := r.next(ctx); err == nil {
				runs = append(runs, r)
			} else if !errors.Is(err, io.EOF) {
				yield(Stored{}, err)
				return
			}
		}
		for len(runs) > 0 {
			// The first type, in order, of those with the lowest commit comes next.
			r := slices.MinFunc(runs, func(a, b *tableRun) int { return cmp.Compare(a.row.Commit, b.row.Commit) })
			if !yield(Stored{r.ref, r.row, r.ref.Kind.String() + "_history", r.id}, nil) {
				return
			}
			before := r.row.Commit
			err := r.next(ctx)
			switch {
			case errors.Is(err, io.EOF):
				runs = slices.DeleteFunc(runs, func(other *tableRun) bool { return other == r })
			case err == nil && r.row.Commit < before:
				err = fmt.Errorf("the rows of %s are not in commit order: a row of commit %d follows one of commit %d", r.ref, r.row.Commit, before)
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Stored{}, err)
				return
			}
		}
	}
}

// typesIn returns the types to which any commit wrote rows, in order.
func typesIn(pin *resolver.Pin) []ontosql.TypeRef {
	var types []ontosql.TypeRef
	seen := map[ontosql.TypeRef]bool{}
	for id := ontosql.CommitID(1); id <= pin.Head.Commit; id++ {
		m := pin.View.Commit(id).Manifest
		for i := range m.Files {
			if ref := m.Files[i].Ref(); !seen[ref] {
				seen[ref] = true
				types = append(types, ref)
			}
		}
	}
	slices.SortFunc(types, ontosql.TypeRef.Compare)
	return types
}

// tableRun reads the rows of one type.
type tableRun struct {
	ref    ontosql.TypeRef
	cursor *sqlite.Cursor
	batch  *column.Batch
	at     int
	row    format.Row
	id     int64 // id of the row
}

// next reads the next row; io.EOF at the end.
func (r *tableRun) next(ctx context.Context) (err error) {
	if r.batch == nil || r.at == r.batch.Len {
		if r.batch, err = r.cursor.Next(ctx); err != nil {
			return err
		}
		r.at = 0
	}
	i, cols := r.at, r.batch.Cols
	r.at++
	keys := 1
	if r.ref.Kind == ontosql.Relation {
		keys = 3
		r.row.Left, r.row.Right, r.row.Instance = string(cols[0].Str[i]), string(cols[1].Str[i]), string(cols[2].Str[i])
	} else {
		r.row.Key = string(cols[0].Str[i])
	}
	r.row.Commit, r.row.SchemaVersionID = ontosql.CommitID(cols[keys].I64[i]), 0
	if !cols[keys+1].IsNull(i) {
		r.row.SchemaVersionID = cols[keys+1].I64[i]
	}
	r.id = cols[keys+3].I64[i]
	r.row.Fields = slices.Clone(cols[keys+2].Str[i])
	return nil
}
