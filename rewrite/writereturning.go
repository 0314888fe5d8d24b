package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// storedFields is the system column that is the row as it is stored: the session
// makes it of the row.
const storedFields = "fields_json"

// result resolves RETURNING over the new rows and, beside them, what else the
// statement names.
func (w *write) result(b *queryBinder, list []*pg.Node, l *level) {
	if len(list) == 0 {
		return
	}
	l.clause = "RETURNING"
	mark := len(b.uses)
	w.returning = &selectQuery{}
	b.targetList(list, l, w.returning, nil)
	plain := map[int32]bool{}
	for i := range w.returning.targets {
		e := &w.returning.targets[i].e
		if f := e.field; f != nil && f.made {
			plain[e.loc], e.sql = true, "CAST(NULL AS JSON)"
		}
	}
	for _, u := range b.uses[mark:] {
		if u.f.made && !plain[u.loc] {
			b.fail(pgerr.Unsupported("system column %q is not known within an expression", u.f.name).
				WithHint("RETURNING shows it as a column of its own."), u.loc)
		}
	}
}

// newRows are the rows that the write makes, as RETURNING names them.
func (w *write) newRows(b *queryBinder, alias *pg.Alias) namespace {
	r := &relation{alias: b.refs[w.at].Name, schema: w.target.Schema, table: w.target.Table, out: w.fresh.alias, ref: w.at, shape: w.target, below: true}
	if alias != nil {
		r.alias, r.schema, r.table = alias.Aliasname, "", ""
	}
	for i, c := range w.row() {
		col := w.target.Columns[i]
		r.fields = append(r.fields, &field{name: col.Name, sql: w.fresh.of(c), t: w.target.typeOf(i), rel: r, source: col.Name})
	}
	for _, c := range w.target.System {
		f := &field{name: c.Name, t: types.OfColumn(c.Type), rel: r, source: c.Name}
		switch c.Name {
		case storedFields:
			f.made, f.sql = true, enginesql.Quote(c.Name)
		case "entity_key", "instance_key":
			f.sql = rowIdentity(r)
		default:
			f.unborn = true
		}
		r.system = append(r.system, f)
	}
	return namespace{rels: []*relation{r}, names: r.fields}
}

// rowIdentity is the text that tells an entity, or a relation's instances with the
// same ends, apart: the last column of the key, but for a relation that has its
// ends alone.
func rowIdentity(r *relation) string {
	key := r.shape.Key
	if len(key) == 2 {
		return "''"
	}
	f := r.column(key[len(key)-1])
	return enginesql.InDefaultStyle(casts.ToText(f.sql, f.t))
}
