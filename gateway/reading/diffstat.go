package reading

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// diffStat is the FROM item of ontosql.diff_stat(since, point). Only types that have commits
// between the points are read.
func (o *Sources) diffStat(ctx context.Context, pin *resolver.Pin, p *planner.Plan, r *relation.Relation, args [][]byte) (string, error) {
	w, err := WindowOf(ctx, o.Session, pin, p, r, args)
	if err != nil {
		return "", err
	}
	b := column.NewBuilder(r.Virtual.Named())
	for _, t := range pin.Catalog.Types {
		if !pin.View.HasFiles(t.Ref, w.Since, w.Upper) {
			continue
		}
		counts, err := o.compared(ctx, pin, t, w)
		if err != nil {
			return "", err
		}
		appeared, updated, written := counts[0], counts[1], counts[2]
		inserted, deleted := appeared, int64(0)
		if w.Backward {
			inserted, deleted = 0, appeared
		}
		_, rows := pin.View.Count(t.Ref, w.Since, w.Upper)
		b.Append(t.Ref.Kind.String(), t.Ref.Name, t.Table, inserted, updated, written-appeared-updated,
			int64(pin.View.CountCommits(t.Ref, w.Since, w.Upper)), rows, deleted)
	}
	return o.load(ctx, introspect.DiffStat.Named(), b.Batch())
}

// compared counts the rows of a type that one of two points has alone, those whose values
// differ, and all that were written in between.
func (o *Sources) compared(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window) (counts [3]int64, err error) {
	keys := make([]string, len(t.Key))
	for i, k := range t.Key {
		keys[i] = "w." + duckdb.Ident(t.Columns[k].Name)
	}
	table := duckdb.Ident(t.Table)
	// The commits of both states are there but where one of them has no row. The versions come from
	// the table itself, since those of history end at the point of the session.
	written := fmt.Sprintf("(SELECT count(*) AS n FROM (SELECT DISTINCT %s FROM public.%s FOR SYSTEM_TIME ALL AS w WHERE w.commit_id > %d AND w.commit_id <= %d) AS written)",
		strings.Join(keys, ", "), table, w.Since, w.Upper)
	sql := fmt.Sprintf("SELECT count(*) - count(from_commit_id + to_commit_id), count(from_commit_id + to_commit_id), %s FROM diff.%s(%d, %d) AS d", written, table, w.Since, w.Upper)
	if !pin.View.HasFiles(t.Ref, 0, w.Since) { // all rows are new
		sql = "SELECT n, 0::bigint, n FROM " + written + " AS w"
	}
	st, err := syntax.Analyze(sql)
	if err != nil {
		return counts, err
	}
	plan, err := o.Session.Plan(pin, st, nil)
	if err != nil {
		return counts, err
	}
	err = FirstRow(ctx, o.Session, pin, plan, nil, nil, func(b *column.Batch) error {
		for i := range counts {
			counts[i] = b.Cols[i].I64[0]
		}
		return nil
	})
	return counts, err
}
