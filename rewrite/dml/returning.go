package dml

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// storedFields is the system column that is the row as it is stored: the session
// makes it of the row.
const storedFields = "fields_json"

// result resolves RETURNING over the new rows and the other relations of the statement.
func (w *builder) result(b *query.Binder, list []*pg.Node, l *scope.Level) {
	if len(list) == 0 {
		return
	}
	l.Clause = "RETURNING"
	mark := len(b.ColumnUses)
	w.returning = &query.SelectQuery{}
	b.TargetList(list, l, w.returning, nil)
	plain := map[int32]bool{}
	for i := range w.returning.TargetList {
		e := &w.returning.TargetList[i].Expr
		if f := e.Column; f != nil && f.SetWhenStored {
			plain[e.Location], e.SQL = true, "CAST(NULL AS "+f.Type.EngineType()+")"
		}
	}
	for _, u := range b.ColumnUses[mark:] {
		if u.Column.SetWhenStored && !plain[u.Location] {
			b.Fail(pgerr.Unsupported("system column %q is not known within an expression", u.Column.Name).
				WithHint("RETURNING shows it as a column of its own."), u.Location)
		}
	}
}

// newRows are the rows that the write makes, as RETURNING names them.
func (w *builder) newRows(b *query.Binder, alias *pg.Alias) scope.Namespace {
	r := w.newRow(b, alias)
	if len(w.views) > 0 {
		return w.seen(b, r, alias, nil)
	}
	return scope.Namespace{Ranges: []*scope.RangeEntry{r}, Columns: r.Columns}
}

// newRow are the rows that the write makes of the table.
func (w *builder) newRow(b *query.Binder, alias *pg.Alias) *scope.RangeEntry {
	r := &scope.RangeEntry{Alias: b.Refs[w.at].Name, Schema: w.target.Schema, Table: w.target.Table, EngineAlias: w.fresh.alias, Ref: w.at, Shape: w.target, Below: true}
	if alias != nil {
		r.Alias, r.Schema, r.Table = alias.Aliasname, "", ""
	}
	for i, c := range w.row() {
		col := w.target.Columns[i]
		r.Columns = append(r.Columns, &scope.Column{Name: col.Name, SQL: w.fresh.of(c), Type: w.target.TypeOf(i), Range: r, Source: col.Name})
	}
	for _, c := range w.target.System {
		f := &scope.Column{Name: c.Name, Type: types.OfColumn(c.Type), Range: r, Source: c.Name}
		switch c.Name {
		case storedFields:
			f.SetWhenStored, f.SQL = true, enginesql.Quote(c.Name)
		case "entity_key", "instance_key":
			f.SQL = rowIdentity(r)
		default:
			f.SetAtCommit = true
		}
		r.SystemColumns = append(r.SystemColumns, f)
	}
	if w.target.Kind == scope.StoredTable {
		r.SystemColumns = w.storedSystemColumns(b, r)
	}
	return r
}

// storedSystemColumns are PostgreSQL's system columns of the rows that the write makes of an
// ordinary table, or of those that it deletes. Where a new row lies, and which transaction made
// it, is known when it is stored.
func (w *builder) storedSystemColumns(b *query.Binder, r *scope.RangeEntry) []*scope.Column {
	if b.Stmt.Node.GetDeleteStmt() != nil {
		return w.fresh.above(scope.Namespace{Ranges: []*scope.RangeEntry{w.old}}).Ranges[0].SystemColumns
	}
	all := b.PostgresSystemColumns(w.at, r)
	for _, f := range all {
		if f.Range != nil {
			f.SetWhenStored, f.System = true, false
		}
	}
	return all
}

// rowIdentity is the text that identifies an entity, or an instance of a relation among those
// with the same ends: the last column of the key. A relation without an instance key has none.
func rowIdentity(r *scope.RangeEntry) string {
	key := r.Shape.Key
	if len(key) == 2 {
		return "''"
	}
	f := r.Column(key[len(key)-1])
	return enginesql.InDefaultStyle(casts.ToText(f.SQL, f.Type))
}
