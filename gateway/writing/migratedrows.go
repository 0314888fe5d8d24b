package writing

import (
	"context"
	"errors"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// migratedRows stages the rewritten rows of an ALTER TABLE. The engine computes their key
// columns, commit_id, stored fields and new values.
type migratedRows struct {
	*rowRewrite
	staging *staging.Rows
	before  *staging.Rows // what the transaction had staged of the type, nil for nothing
	keys    int           // key columns
	fields  *rowjson.Migration
}

func (m *rowRewrite) stageRows(ctx context.Context, p *planner.Plan, src *reading.Sources, g *staging.Rows) error {
	s := m.session
	r, err := reading.Stream(ctx, s, p, &reading.Sources{Session: s, Fragments: src.Fragments, Borrowed: src.Uses, Once: src.Once}, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	keys := len(scan.KeyColumns(m.Type.Ref.Kind))
	rows := &migratedRows{rowRewrite: m, staging: g, before: s.Tx.StagingOf(m.Type.Ref), keys: keys, fields: rowjson.NewMigration(m.image, m.Type, m.ComputedFields, m.DroppedFields, m.Renamed, keys+1)}
	for read := int64(0); ; {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = rows.take(ctx, b)
		}
		if err != nil {
			return err
		}
		read += int64(b.Len)
		if s.Activity.MigratedRows(read); m.Progress != nil {
			m.Progress(read)
		}
	}
}

// take stages the rows of a batch. Many rows go directly into the data file if that is
// allowed (Session.startDraft).
func (m *migratedRows) take(ctx context.Context, b *column.Batch) error {
	g := m.staging
	if !g.InDraft() && g.Count() >= staging.DraftAfter {
		if err := g.StartDraft(ctx, 0); err != nil {
			return err
		}
		if g.InDraft() { // each identity comes once
			g.ForgetIdentities()
		}
	}
	if !g.InDraft() {
		return m.eachRow(b, nil, func(r format.Row, follows ontosql.CommitID) error {
			return g.Put(ctx, g.Identity(&r), r, follows)
		})
	}
	batch := g.NewBatch(b.Len)
	err := m.eachRow(b, batch, func(r format.Row, _ ontosql.CommitID) error {
		batch.Rows = append(batch.Rows, r)
		return nil
	})
	if err != nil {
		return err
	}
	return g.AddToDraft(batch)
}

// eachRow calls each for the rows of a batch that change, with the commits of their old
// versions. The fields lie in texts if that is not nil.
func (m *migratedRows) eachRow(b *column.Batch, texts *writepath.Batch, each func(r format.Row, follows ontosql.CommitID) error) error {
	commit := &b.Cols[m.keys]
	for i := range b.Len {
		r, staged := staging.Identity(m.Type.Ref.Kind, b, i), commit.IsNull(i)
		changed, err := m.fields.Apply(b, i)
		if err != nil {
			return m.at(err, &r)
		}
		if !changed && !m.every && !staged {
			continue
		}
		r.Fields = m.fields.Fields(texts)
		var follows ontosql.CommitID
		if staged {
			follows = m.before.StoredCommit(m.before.Identity(&r))
		} else {
			follows = ontosql.CommitID(commit.I64[i])
		}
		r.SchemaVersionID = m.next.SchemaID
		if err := each(r, follows); err != nil {
			return err
		}
	}
	return nil
}

// at adds the key of the row to an error.
func (m *migratedRows) at(err error, r *format.Row) error {
	var e *pgerr.Error
	if errors.As(err, &e) {
		e.Detail = rowjson.Key(m.Type, r) + "."
	}
	return err
}
