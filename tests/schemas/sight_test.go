package schemas

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// seen is what a reader sees at the head, by type.
type seen map[string]seenType

// seenType is a type with its latest rows.
type seenType struct {
	Schema  string // schema_json of its current version
	Version int64
	Columns []string          // what SQL shows of them; nil for the original, which does not know
	Rows    map[string]string // fields_json by identity
}

func identityOf(r *format.Row) string {
	return fmt.Sprint(r.Key, "|", r.Left, "|", r.Right, "|", r.Instance)
}

// ours is what a reader of ours sees that opens the store now.
func ours(ctx context.Context, b objstore.Bucket) (seen, error) {
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		return nil, err
	}
	store := resolver.Open(resolver.Options{Bucket: b, Log: log})
	defer store.Close()
	pin, err := store.Pin(ctx)
	if err != nil {
		return nil, err
	}
	all := seen{}
	for _, t := range pin.Catalog.Types {
		s := seenType{Version: t.SchemaID, Columns: []string{t.Comment}, Rows: map[string]string{}}
		if n := len(t.Versions); n > 0 {
			s.Schema = t.Versions[n-1].JSON
		}
		for _, c := range t.Columns {
			s.Columns = append(s.Columns, fmt.Sprintf("%s %s %t %q %q %d", c.Name, c.Spelling, c.NotNull, c.Default, c.Comment, c.Typmod))
		}
		found, err := store.Files(ctx, pin, t, ontosql.Window{Upper: pin.Head.Commit})
		if err != nil {
			return nil, err
		}
		for _, f := range found.Files {
			rows, err := rowsOf(ctx, b, f.Key)
			if err != nil {
				return nil, err
			}
			for i := range rows { // files come in the order of commits
				s.Rows[identityOf(&rows[i])] = string(rows[i].Fields)
			}
		}
		all[t.Ref.String()] = s
	}
	return all, nil
}

func rowsOf(ctx context.Context, b objstore.Bucket, key string) ([]format.Row, error) {
	body, _, err := b.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return original.Rows(body)
}

// theirs is what the original sees that opens the store now.
func theirs(ctx context.Context, b objstore.Bucket) (seen, error) {
	types, err := original.Read(ctx, b)
	if err != nil {
		return nil, err
	}
	all := seen{}
	for ref, t := range types {
		s := seenType{Schema: t.Schema, Version: t.Version, Rows: map[string]string{}}
		for i := range t.Rows {
			s.Rows[identityOf(&t.Rows[i])] = string(t.Rows[i].Fields)
		}
		all[ref.String()] = s
	}
	return all, nil
}

// agree makes sure that the original sees what we do, and that nothing is wrong
// with the store.
func agree(t *testing.T, b objstore.Bucket) seen {
	t.Helper()
	we, err := ours(t.Context(), b)
	if err != nil {
		t.Fatalf("our reader: %v", err)
	}
	they, err := theirs(t.Context(), b)
	if err != nil {
		t.Fatalf("the original's reader: %v", err)
	}
	plain := seen{}
	for name, s := range we {
		s.Columns = nil
		plain[name] = s
	}
	if diff := cmp.Diff(plain, they); diff != "" {
		t.Errorf("the store as we read it and as the original does (-ours +theirs):\n%s", diff)
	}
	maintaintest.Clean(t, b)
	return we
}

// note is a row of an entity type other(id text, n bigint), for writers that have
// nothing to do with a change of the schema.
func note(id string) format.Row {
	return format.Row{Key: id, Fields: fmt.Appendf(nil, `{"id":%q,"n":1}`, id)}
}

var other = ontosql.TypeRef{Kind: ontosql.Entity, Name: "other"}

// nextWriter lets another process of ours commit a row of other.
func nextWriter(ctx context.Context, b objstore.Bucket, id string) error {
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "next"})
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	_, err := c.Commit(ctx, writepath.Tx{Data: []writepath.Data{{
		Type: other, Fields: format.DataFields([]format.SchemaField{key, format.NewField("n", format.FieldInt, true)}), SchemaVersion: writepath.FirstVersion,
		Rows: func(yield func(writepath.Row, error) bool) { yield(writepath.Row{Row: note(id)}, nil) },
	}}})
	return errors.Join(err, c.Close(ctx))
}

// theyCommit lets the original commit a row of other.
func theyCommit(ctx context.Context, w *original.Writer, id string) error {
	_, err := w.Commit(ctx, func(*format.Head) ([]original.Data, error) {
		return []original.Data{{Type: other, Rows: []format.Row{note(id)}}}, nil
	})
	return err
}
