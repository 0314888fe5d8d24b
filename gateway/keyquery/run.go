package keyquery

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rowstore"
)

// maxRows is the number of rows up to which a statement is answered without the engine.
const maxRows = 1000

// Possible reports whether the table of a type can answer a statement with these arguments, as far
// as that is known before a row is read.
func (p *Plan) Possible(use *rowstore.Use, args [][]byte) bool {
	if !use.Readable(p.places) {
		return false
	}
	_, ok := beginnings(p.keys, args)
	return ok
}

// Run answers the statement at a commit. The answer is nil if the engine has to give it. args are the
// parameters as input.Argument has read them.
func (p *Plan) Run(ctx context.Context, use *rowstore.Use, at ontosql.CommitID, args [][]byte) (answer *column.Batch, err error) {
	if !use.Readable(p.places) {
		return nil, nil
	}
	keys, ok := beginnings(p.keys, args)
	if !ok {
		return nil, nil
	}
	rows := rowstore.Reader{Use: use, Upper: at, Columns: p.columns, Rows: maxRows}
	defer func() { err = errors.Join(err, rows.Close()) }()
	answer = &column.Batch{Cols: make([]column.Vector, len(p.columns))}
	for _, texts := range keys {
		if all, err := rows.Newest(ctx, answer, texts); err != nil || !all {
			return nil, err
		}
	}
	return answer, nil
}
