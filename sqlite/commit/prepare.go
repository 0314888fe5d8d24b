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

// Rows of one type are kept in memory while they wait, up to so many bytes, and so
// many in number. More are asked for when they are written.
const (
	maxRowsBytes = 8 << 20
	maxRows      = 1 << 15
)

// pending is a transaction as the Committer has it while it waits.
type pending struct {
	writepath.Pending
	data          []*prepared
	catalog       string // of an Insert: the version by which its rows were made; "" for a transaction that has looked
	letOthersPass bool   // a large one let smaller ones pass it
}

// large says that rows are not kept in memory.
func (p *pending) large() bool {
	return slices.ContainsFunc(p.data, func(d *prepared) bool { return d.large })
}

// prepared are the rows of one type as they wait to be written.
type prepared struct {
	writepath.Data
	rows       []writepath.Row             // nil of a large one
	identities map[string]ontosql.CommitID // their identities, and what they expect; nil of a large one
	size       int
	large      bool
}

// reserved is how the metadata keys begin that are ours.
const reserved = "ontosql_"

var errEmpty = errors.New("the transaction changes nothing")

// prepare checks a transaction as far as it can be checked alone.
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
	if len(p.data) == 0 && tx.Schema == nil {
		return nil, errEmpty
	}
	return p, nil
}

// collect keeps the rows of a type, unless they are many.
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
		row.Fields = bytes.Clone(row.Fields) // it is the transaction's
		p.rows = append(p.rows, row)
		if p.size += rowSize(&row.Row); p.size > maxRowsBytes || len(p.rows) > maxRows {
			p.large, p.rows, p.identities = true, nil, nil
			break // Rows are never gone through twice at once
		}
	}
	return p, nil
}

// rowSize is about what a row takes in memory.
func rowSize(r *format.Row) int {
	return len(r.Key) + len(r.Left) + len(r.Right) + len(r.Instance) + len(r.Fields)
}

// each goes through the rows. A large one ends when the caller has gone.
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

// Bounds of the rows of one type that are told with a commit.
const (
	maxSmallRows      = 64
	maxSmallRowsBytes = 64 << 10
)

// smallRows are the rows as they were written, nil for many or large ones.
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
