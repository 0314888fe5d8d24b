package writing

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// unchangedRows are the identities whose newest staged version equals the stored one, because
// the transaction changed them and changed them back. They are looked for among identities with
// several updates; an update that changes nothing is not staged.
func (g *storedSearch) unchangedRows(ctx context.Context, pin *resolver.Pin) (map[string]bool, error) {
	changed, err := g.ChangedAgain(ctx)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	same := map[string]bool{}
	err = g.eachStored(ctx, pin, changed, func(id string, fields []byte) {
		if format.Equal(fields, changed[id]) {
			same[id] = true
		}
	})
	return same, err
}

// eachStored calls yield with the stored fields of each of the identities at pin.
func (g *storedSearch) eachStored(ctx context.Context, pin *resolver.Pin, of map[string][]byte, yield func(id string, fields []byte)) error {
	kind := g.Type.Ref.Kind
	var rows []format.Row
	for id := range of {
		rows = append(rows, writepath.RowOfIdentity(kind, id))
	}
	keys, err := staging.ListedKeys(kind, rows), error(nil)
	if len(of) > staging.MaxListed {
		keys, err = g.AllKeys(ctx, 0)
	}
	if err != nil {
		return err
	}
	_, err = reading.OverMirror(ctx, reading.Sources{Session: g.session}, func(src *reading.Sources) (struct{}, error) {
		request, ok, err := g.request(ctx, src, pin, ontosql.Window{Upper: pin.Head.Commit}, keys)
		if err != nil || !ok {
			return struct{}{}, err
		}
		for _, name := range append(scan.KeyColumns(kind), scan.StoredFields) {
			request.Hidden = append(request.Hidden, scan.Hidden{Name: name, As: "__" + name})
		}
		query, err := scan.SQL(request)
		if err != nil {
			return struct{}{}, err
		}
		rows, st, err := src.Start(ctx, query, nil)
		if err != nil {
			return struct{}{}, err
		}
		if st != nil {
			defer st.Close()
		}
		err = rows.Each(ctx, func(b *column.Batch, i int) {
			hidden := &column.Batch{Len: b.Len, Cols: b.Cols[len(b.Cols)-len(request.Hidden):]}
			r := staging.Identity(kind, hidden, i)
			if id := g.Identity(&r); of[id] != nil {
				yield(id, hidden.Cols[len(hidden.Cols)-1].Str[i])
			}
		})
		if err == nil {
			src.Release(context.WithoutCancel(ctx))
		}
		return struct{}{}, err
	})
	return err
}
