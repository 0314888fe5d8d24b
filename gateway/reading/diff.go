package reading

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/resolver"
)

// maxDiffKeys is the number of rows between the points of a diff up to which the state before is looked
// up by their keys.
const maxDiffKeys = 1000

// diffFiles finds in the storage what diff reads without the mirror: the rows that were written between
// its points, and the state before of those. Of few rows it is looked up by their keys, so that the
// files that cannot have them are not read. The request gets both, and report.Before tells of the second.
func (o *Sources) diffFiles(ctx context.Context, pin *resolver.Pin, p *planner.Plan, t *catalog.Type, w ontosql.Window, r *scan.Request, report *WindowReport) (readable bool, err error) {
	if err := o.warnOfIndex(ctx, pin, t, w); err != nil {
		return false, err
	}
	between, before := w, w
	between.Lower, before.Upper = max(w.Lower, w.Since), w.Since
	before.Mode = ontosql.Latest
	written, err := o.Files(ctx, pin, t, between, true, o.free(p), nil, report)
	if err != nil {
		return false, err
	}
	r.Files, r.Earlier = written.Files, []scan.File{}
	keys := report.Keys
	_, rows := pin.View.Count(t.Ref, between.Lower, between.Upper)
	byKey := keys.First() == nil && rows <= maxDiffKeys
	switch {
	case !o.Dry && len(written.Files) == 0 && r.Staged == "": // nothing was written, so scan reads no state before
		return true, nil
	case !pin.View.HasFiles(t.Ref, between.Lower, between.Upper), !pin.View.HasFiles(t.Ref, 0, w.Since):
		return written.Readable, nil
	case byKey && !o.Dry:
		if keys, err = o.firstKeys(ctx, t, between, r.Files); err != nil {
			return false, err
		}
	}
	then := WindowReport{Keys: keys}
	earlier, err := o.Files(ctx, pin, t, before, true, o.free(p), nil, &then)
	if err != nil {
		return false, err
	}
	r.Earlier = append(r.Earlier, earlier.Files...)
	report.Before = then.Stored
	if byKey && o.Dry {
		report.Before.Text = func() string { return then.Stored.Text() + ", fewer by key" }
	}
	return written.Readable && earlier.Readable, nil
}

// firstKeys are the texts of the first key column in the rows of files.
func (o *Sources) firstKeys(ctx context.Context, t *catalog.Type, w ontosql.Window, files []scan.File) (relation.KeyBounds, error) {
	sql, err := scan.Identities(scan.Request{Type: t, Window: w, Files: files})
	if err != nil {
		return nil, err
	}
	conn, err := o.Session.FreeConn(ctx)
	if err != nil {
		return nil, err
	}
	var texts []string
	err = conn.Each(ctx, sql, nil, func(b *column.Batch, i int) { texts = append(texts, string(b.Cols[0].Str[i])) })
	slices.Sort(texts)
	return relation.KeyBounds{{Column: scan.KeyColumns(t.Ref.Kind)[0], Texts: slices.Compact(texts)}}, err
}
