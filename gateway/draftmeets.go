package gateway

import (
	"context"
	"fmt"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// meets reports whether an identity comes twice in the draft, or is stored at pin.
// It may be wrong about one that does not, by its hash; the table knows.
func (g *staging) meets(ctx context.Context, pin *resolver.Pin) (bool, error) {
	if err := g.sendBatch(); err != nil {
		return false, err
	}
	if !g.draft.Once() {
		return true, nil
	}
	all := ontosql.Window{Upper: pin.Head.Commit}
	if !pin.View.Wrote(g.typ.Ref, all.Lower, all.Upper) {
		return false, nil
	}
	return overMirror(ctx, sources{session: g.session}, func(src *sources) (bool, error) {
		met, err := g.meetsStored(ctx, src, pin, all)
		if err == nil {
			src.release(context.WithoutCancel(ctx))
		}
		return met, err
	})
}

// meetsStored looks at the identities that the sources have between the least and
// the greatest of the draft, one after the other: that takes less than a join.
func (g *staging) meetsStored(ctx context.Context, src *sources, pin *resolver.Pin, w ontosql.Window) (bool, error) {
	request, ok, err := g.request(ctx, src, pin, w, sought{})
	if err != nil || !ok {
		return false, err
	}
	query, err := scan.Identities(request)
	if err != nil {
		return false, err
	}
	query = fmt.Sprintf("SELECT * FROM (%s) AS f WHERE k0 BETWEEN %s AND %s", query, duckdb.Literal(g.low), duckdb.Literal(g.high))
	rows, st, err := src.start(ctx, query, nil)
	if err != nil {
		return false, err
	}
	if st != nil {
		defer st.Close()
	}
	defer rows.Close()
	for {
		b, err := rows.Next(ctx)
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if g.draftHas(b) {
			return true, nil
		}
	}
}

// draftHas reports whether the draft has one of the identities of a batch.
func (g *staging) draftHas(b *column.Batch) bool {
	if g.typ.Ref.Kind != ontosql.Relation {
		for _, key := range b.Cols[0].Str[:b.Len] {
			if g.draft.Has(key) {
				return true
			}
		}
		return false
	}
	var identity []byte
	for i := range b.Len {
		identity = writepath.AppendRelated(identity[:0], b.Cols[0].Str[i], b.Cols[1].Str[i], b.Cols[2].Str[i])
		if g.draft.Has(identity) {
			return true
		}
	}
	return false
}
