package parts

import (
	"context"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/relation"
)

// keep keeps the rows of a SELECT that several parts may read in a table of the connection.
func (e *execution) keep(ctx context.Context, p *planner.Plan) (relation.WorkTable, error) {
	t := relation.WorkTable{Name: e.session.Temp.Name("w")}
	for i := range relation.PartColumns(p.Scoped.Outputs) {
		t.Columns = append(t.Columns, "a"+strconv.Itoa(i))
	}
	e.made = append(e.made, t.Name)
	_, err := reading.OverMirror(ctx, reading.Sources{Session: e.session, Parts: e.ran, Once: true}, func(src *reading.Sources) (none struct{}, err error) {
		if err := src.Find(ctx, e.pin, p, e.args); err != nil {
			return none, err
		}
		_, err = src.RunStatement(ctx, p, e.args, func(query string) string {
			names := t.Columns
			if len(names) == 0 {
				names = []string{"a0"} // the engine has one for a query without columns
			}
			return "CREATE OR REPLACE TEMP TABLE " + t.Name + " AS SELECT * FROM (" + query + ") AS part(" + strings.Join(names, ", ") + ")"
		})
		if err == nil {
			src.Release(context.WithoutCancel(ctx))
		}
		return none, err
	})
	return t, err
}
