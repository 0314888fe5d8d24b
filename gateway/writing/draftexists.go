package writing

import (
	"context"
	"fmt"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/resolver"
)

// draftMayExist reports whether an identity comes twice in the draft or is stored at pin. It
// compares hashes, so it may report one that does neither.
func (g *storedSearch) draftMayExist(ctx context.Context, pin *resolver.Pin) (bool, error) {
	if once, err := g.Distinct(); err != nil || !once {
		return !once, err
	}
	all := ontosql.Window{Upper: pin.Head.Commit}
	if !pin.View.HasFiles(g.Type.Ref, all.Lower, all.Upper) {
		return false, nil
	}
	return reading.OverMirror(ctx, reading.Sources{Session: g.session}, func(src *reading.Sources) (bool, error) {
		met, err := g.draftMayBeStored(ctx, src, pin, all)
		if err == nil {
			src.Release(context.WithoutCancel(ctx))
		}
		return met, err
	})
}

// draftMayBeStored reads the stored identities between the least and the greatest of the draft
// one by one, which takes less than a join.
func (g *storedSearch) draftMayBeStored(ctx context.Context, src *reading.Sources, pin *resolver.Pin, w ontosql.Window) (bool, error) {
	request, ok, err := g.request(ctx, src, pin, w, staging.Keys{})
	if err != nil || !ok {
		return false, err
	}
	query, err := scan.Identities(request)
	if err != nil {
		return false, err
	}
	low, high := g.KeyRange()
	query = fmt.Sprintf("SELECT * FROM (%s) AS f WHERE k0 BETWEEN %s AND %s", query, duckdb.Literal(low), duckdb.Literal(high))
	rows, st, err := src.Start(ctx, query, nil)
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
		if g.DraftHas(b) {
			return true, nil
		}
	}
}
