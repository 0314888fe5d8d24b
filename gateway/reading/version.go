package reading

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rowstore"
)

// Versions finds the newest versions of identities at a pin in the row store, for a write. The
// caller releases it.
type Versions struct {
	src    Sources // for the warnings
	typ    *catalog.Type
	reader rowstore.Reader
}

// FindVersions are the versions of a type in the commits up to upper, with the columns of some
// names; nil if the row store does not have them. It also counts the read.
func FindVersions(ctx context.Context, s *session.Session, pin *resolver.Pin, t *catalog.Type, upper ontosql.CommitID, names []string) (*Versions, error) {
	if s.DB.Rows == nil || s.Drafted(pin) {
		return nil, nil
	}
	use := s.DB.UseRows(pin, t)
	if use == nil {
		return nil, nil
	}
	v := &Versions{src: Sources{Session: s}, typ: t, reader: rowstore.Reader{Use: use, Upper: upper, Columns: use.Version(names)}}
	if v.reader.Columns != nil && use.Reach(ctx, upper) {
		err := v.src.warnOfIndex(ctx, pin, t, ontosql.Window{Upper: upper})
		if err == nil {
			return v, nil
		}
		use.Release()
		return nil, err
	}
	use.Release()
	return nil, nil
}

// Tell sends the warnings about the type to the client, and records where the statement has read.
// It is called if the versions are used.
func (v *Versions) Tell() {
	v.src.Tell()
	if a := v.src.Session.Running.Account; a != nil {
		a.SetSource(introspect.SourceRowStore)
	}
}

// Batch is an empty batch for Add. Its columns are the texts of the identity, the commit,
// fields_json, and the columns that were asked for.
func (v *Versions) Batch() *column.Batch {
	return &column.Batch{Cols: make([]column.Vector, len(v.reader.Columns))}
}

// Add appends the newest version of an identity to a batch, if there is one. The texts are those of
// the whole key of the type. ok is false if the engine has to read it.
func (v *Versions) Add(ctx context.Context, to *column.Batch, texts []string) (ok bool, err error) {
	v.reader.Rows = to.Len + 1
	all, err := v.reader.Newest(ctx, to, texts)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil:
		v.reader.Use.Distrust(err)
		return false, nil
	}
	return all, nil
}

// Staged is a version that is not committed yet as Add appends those that are, without a commit. ok is
// false if the engine has to read it.
func (v *Versions) Staged(r format.Row) (b *column.Batch, ok bool) {
	whole, ok := ingest.NewConverter(v.typ).Convert([]format.Row{r})
	if !ok {
		return nil, false
	}
	b = v.Batch()
	b.Len = 1
	for i, of := range v.reader.Columns {
		b.Cols[i] = whole.Cols[of]
		if of == rowstore.StoredColumn(v.typ, rowstore.Commit, 0) {
			b.Cols[i].SetNull(0, 1)
		}
	}
	return b, true
}

// Release ends the use of the row store.
func (v *Versions) Release() {
	_ = v.reader.Close() // Newest has returned the errors of reading
	v.reader.Use.Release()
}
