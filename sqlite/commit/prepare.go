package commit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// Bounds of the rows of one type kept in memory while the transaction waits, in bytes and in
// number. Larger ones are read again when they are written.
const (
	maxRowsBytes = 8 << 20
	maxRows      = 1 << 15
)

// pending is a transaction in the Committer.
type pending struct {
	writepath.Pending
	data          []*prepared
	catalog       string // version for which an Insert's rows were made; "" for other transactions
	letOthersPass bool   // a large transaction has let others commit first
}

// large reports whether rows are not kept in memory.
func (p *pending) large() bool {
	return slices.ContainsFunc(p.data, func(d *prepared) bool { return d.large })
}

// prepared has the rows of one type that wait to be written.
type prepared struct {
	writepath.Data
	rows       []writepath.Row             // nil of a large one
	identities map[string]ontosql.CommitID // identities with the expected commits; nil for a large type
	size       int
	large      bool
}

// reserved is the prefix of this program's metadata keys.
const reserved = "ontosql_"

var errEmpty = errors.New("the transaction changes nothing")

// prepare checks a transaction as far as possible without the file.
func prepare(ctx context.Context, tx writepath.Tx) (*pending, error) {
	p := &pending{Pending: writepath.NewPending(ctx, tx)}
	for key := range tx.Metadata {
		if strings.HasPrefix(key, reserved) {
			return nil, fmt.Errorf("metadata key %q is reserved", key)
		}
	}
	seen := map[ontosql.TypeRef]bool{}
	for _, d := range tx.Data {
		if seen[d.Type] {
			return nil, fmt.Errorf("write %s: the type comes twice", d.Type)
		}
		seen[d.Type] = true
		rows, err := collect(d)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", d.Type, err)
		}
		if rows.large || len(rows.rows) > 0 {
			p.data = append(p.data, rows)
		}
	}
	if tx.Empty(len(p.data) > 0) {
		return nil, errEmpty
	}
	return p, nil
}

// collect keeps the rows of a type in memory, unless there are many.
func collect(d writepath.Data) (*prepared, error) {
	p := &prepared{Data: d, identities: map[string]ontosql.CommitID{}}
	for row, err := range d.Rows {
		if err != nil {
			return nil, err
		}
		id := writepath.Identity(d.Type.Kind, &row.Row)
		if _, twice := p.identities[id]; twice {
			return nil, fmt.Errorf("identity %q comes twice", id)
		}
		p.identities[id] = row.Expected
		row.Fields = bytes.Clone(row.Fields) // the transaction reuses its memory
		p.rows = append(p.rows, row)
		if p.size += rowSize(&row.Row); p.size > maxRowsBytes || len(p.rows) > maxRows {
			p.large, p.rows, p.identities = true, nil, nil
			break // Rows must not be iterated twice at the same time
		}
	}
	return p, nil
}

// rowSize estimates a row's size in memory.
func rowSize(r *format.Row) int {
	return len(r.Key) + len(r.Left) + len(r.Right) + len(r.Instance) + len(r.Fields)
}

// each iterates the rows. For a large type it stops if the caller's context ends.
func (d *prepared) each(ctx context.Context, visit func(row *writepath.Row) error) error {
	if !d.large {
		for i := range d.rows {
			if err := visit(&d.rows[i]); err != nil {
				return err
			}
		}
		return nil
	}
	n := 0
	for row, err := range d.Rows {
		if n++; err == nil && n%1024 == 0 && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if err := visit(&row); err != nil {
			return err
		}
	}
	return nil
}

// Bounds of the rows of one type that are passed to OnCommit.
const (
	maxSmallRows      = 64
	maxSmallRowsBytes = 64 << 10
)

// smallRows returns the written rows; nil for many or large ones.
func (d *prepared) smallRows(id ontosql.CommitID) []format.Row {
	if d.large || len(d.rows) > maxSmallRows || d.size > maxSmallRowsBytes {
		return nil
	}
	rows := make([]format.Row, len(d.rows))
	for i := range d.rows {
		rows[i] = d.rows[i].Row
		rows[i].Commit, rows[i].SchemaVersionID = id, d.SchemaVersion
	}
	return rows
}
