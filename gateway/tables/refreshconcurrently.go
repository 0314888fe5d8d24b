package tables

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/workspace"
)

// refreshConcurrently ends the rows of a materialized view and inserts those of its query, as a
// write does, so that transactions that keep their snapshot go on to see the old ones.
func refreshConcurrently(ctx context.Context, s *session.Session, pin *resolver.Pin, t *workspace.Table) error {
	query, err := rowsOf(s, pin, t)
	if err != nil {
		return err
	}
	if err := s.PrepareCatalog(ctx, pin, query); err != nil {
		return err
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	r := &refresh{session: s, conn: conn, table: t, rows: s.Temp.Name("w")}
	err = r.load(ctx, pin, query)
	if err == nil {
		err = r.replace(ctx, pin)
	}
	return errors.Join(err, conn.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+r.rows))
}

// refresh is a REFRESH CONCURRENTLY.
type refresh struct {
	session *session.Session
	conn    *duckdb.Conn
	table   *workspace.Table
	rows    string // a temporary table with the new rows, whose columns are named as those of the heap
}

// load computes the new rows.
func (r *refresh) load(ctx context.Context, pin *resolver.Pin, query *planner.Plan) error {
	_, err := reading.OverMirror(ctx, reading.Sources{Session: r.session, Once: true}, func(src *reading.Sources) (none struct{}, err error) {
		if err := src.Find(ctx, pin, query, nil); err != nil {
			return none, err
		}
		if err := r.conn.Exec(ctx, "DROP TABLE IF EXISTS "+r.rows); err != nil { // of an attempt without the mirror
			return none, err
		}
		_, err = src.RunStatement(ctx, query, nil, func(sql string) string {
			return "CREATE TEMP TABLE " + r.rows + " AS SELECT * FROM (" + sql + ") AS q(" + strings.Join(heapColumns(r.table), ", ") + ")"
		})
		if err == nil {
			src.Release(context.WithoutCancel(ctx))
		}
		return none, err
	})
	return err
}

// replace checks the new rows and writes them.
func (r *refresh) replace(ctx context.Context, pin *resolver.Pin) error {
	t, s := r.table, r.session
	same, err := r.fits(ctx)
	if err != nil {
		return err
	}
	if !same { // such as numerics with more digits
		return refreshWhole(ctx, s, pin, t, false)
	}
	if err := r.checkRows(ctx); err != nil {
		return err
	}
	names := heapColumns(t)
	added, err := modify.CountRows(ctx, r.conn, r.rows)
	if err != nil {
		return err
	}
	n, err := modify.CountRows(ctx, r.conn, t.Heap.SQL())
	if err != nil {
		return err
	}
	return s.Tables.Apply(ctx, r.conn, t.Heap, s.Alone(), func(id workspace.XID) error {
		if err := r.conn.Exec(ctx, t.Heap.End(id, t.Heap.Source(s.Tables.Newest(), []string{"rowid"}), n)); err != nil {
			return err
		}
		return r.conn.Exec(ctx, t.Heap.Insert(id, t.Columns, names, r.rows, added))
	})
}

// fits reports whether the new rows have the engine types of the heap.
func (r *refresh) fits(ctx context.Context) (bool, error) {
	names := strings.Join(heapColumns(r.table), ", ")
	have, err := columnsOf(ctx, r.conn, "SELECT "+names+" FROM "+r.table.Heap.SQL())
	if err != nil {
		return false, err
	}
	given, err := columnsOf(ctx, r.conn, "SELECT "+names+" FROM "+r.rows)
	return slices.EqualFunc(have, given, func(a, b column.Named) bool { return reflect.DeepEqual(a.Type, b.Type) }), err
}

// checkRows is the error of new rows of which two are the same, or have the same key.
func (r *refresh) checkRows(ctx context.Context) error {
	t, names := r.table, heapColumns(r.table)
	texts := make([]string, len(names))
	for i, c := range t.Columns {
		texts[i] = recordField(scope.Expr{SQL: names[i], Type: c.Type}.Text())
	}
	row := enginesql.InDefaultStyle("'(' || concat_ws(',', " + strings.Join(texts, ", ") + ") || ')'")
	text, found := "", false
	query := fmt.Sprintf("SELECT any_value(%s) FROM %s WHERE %s GROUP BY %s HAVING count(*) > 1 LIMIT 1", row, r.rows, modify.NotNull(names), strings.Join(names, ", "))
	err := r.conn.Each(ctx, query, nil, func(b *column.Batch, i int) { text, found = string(b.Cols[0].Str[i]), true })
	if err != nil {
		return err
	}
	if found {
		return pgerr.New(pgerr.CardinalityViolation, "new data for materialized view %q contains duplicate rows without any null columns", t.Name).WithDetail("Row: %s", text)
	}
	for _, k := range t.Keys() {
		err := modify.VerifyUnique(ctx, r.session, r.conn, t, &k, "SELECT * FROM "+r.rows)
		var e *pgerr.Error
		if errors.As(err, &e) && e.Code == pgerr.UniqueViolation {
			twice := *e
			twice.Message = fmt.Sprintf("duplicate key value violates unique constraint %q", k.Name)
			twice.Detail = strings.TrimSuffix(e.Detail, " is duplicated.") + " already exists."
			return &twice
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordField is the text of a value in that of a row (PostgreSQL manual, 8.16.6).
func recordField(text string) string {
	return fmt.Sprintf(`CASE WHEN %[1]s = '' OR regexp_matches(%[1]s, '[(),"\\\s]') THEN '"' || replace(replace(%[1]s, '\', '\\'), '"', '""') || '"' ELSE %[1]s END`, "("+text+")")
}

// heapColumns are the names of the columns of a table in its heap.
func heapColumns(t *workspace.Table) []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = workspace.ColumnName(c.Number)
	}
	return names
}
