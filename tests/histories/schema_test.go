package histories

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

func refOf(name string) ontosql.TypeRef {
	kind := ontosql.Entity
	if name == postings {
		kind = ontosql.Relation
	}
	return ontosql.TypeRef{Kind: kind, Name: name}
}

func schemaOf(name string) format.Schema {
	fields := []format.SchemaField{format.NewField("n", format.FieldInt, false), format.NewField("op", format.FieldStr, false)}
	if name == postings {
		return format.Schema{Ref: refOf(name), Left: accounts, Right: events, Fields: fields}
	}
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return format.Schema{Ref: refOf(name), Fields: append([]format.SchemaField{key}, fields...)}
}

// posting is the row that ties an account to an event.
func posting(account, event string, n int64) row {
	stored := format.Row{Left: account, Right: event}
	return row{
		identity: identity{postings, writepath.Identity(ontosql.Relation, &stored)},
		Left:     account, Right: event, N: n,
	}
}

// stored is a row as the store keeps it.
func (r row) stored(tag string) format.Row {
	if r.Type == postings {
		return format.Row{Left: r.Left, Right: r.Right, Fields: fmt.Appendf(nil, `{"n":%d,"op":%q}`, r.N, tag)}
	}
	return format.Row{Key: r.Key, Fields: fmt.Appendf(nil, `{"id":%q,"n":%d,"op":%q}`, r.Key, r.N, tag)}
}

// transaction is what an operation commits.
func transaction(pin int64, tag string, rows []row) writepath.Tx {
	tx := writepath.Tx{Pin: ontosql.CommitID(pin)}
	for _, name := range typeNames {
		var mine []writepath.Row
		for _, r := range rows {
			if r.Type == name {
				mine = append(mine, writepath.Row{Row: r.stored(tag), Expected: ontosql.CommitID(r.Expected)})
			}
		}
		if len(mine) > 0 {
			tx.Data = append(tx.Data, writepath.Data{
				Type: refOf(name), Fields: format.DataFields(schemaOf(name).Fields), SchemaVersion: writepath.FirstVersion, Rows: sequence(mine),
			})
		}
	}
	return tx
}

func sequence(rows []writepath.Row) iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// found makes the ontology of a history: its types in commit 1.
func found(ctx context.Context, b objstore.Bucket, engine string) error {
	if _, err := writepath.Init(ctx, b, writepath.InitOptions{URI: b.String(), Engine: engine, Now: time.Now}); err != nil {
		return fmt.Errorf("initialise: %w", err)
	}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "founder"})
	var schemas []format.Schema
	for _, name := range typeNames {
		schemas = append(schemas, schemaOf(name))
	}
	_, err := c.Register(ctx, time.Now(), schemas)
	if closeErr := c.Close(ctx); err == nil {
		err = closeErr
	}
	return err
}
