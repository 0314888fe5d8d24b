package relation

import (
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// heapColumns are PostgreSQL's system columns that differ from row to row. A page has 128 rows,
// and lines are numbered from 1. The engine's row id stays the same while a transaction uses the
// workspace (A55).
var heapColumns = []struct {
	name, sql string
	kind      column.Kind
}{
	{"xmin", workspace.RowXmin, column.Uint32},
	{"ctid", "((rowid >> 7 << 16) | ((rowid & 127) + 1))", column.Int64},
}

// HeapColumn is the SQL of a system column that differs from row to row, over the rows of a heap,
// "" for another column.
func HeapColumn(name string) string {
	for _, c := range heapColumns {
		if c.name == name {
			return c.sql
		}
	}
	return ""
}

// storedRelation is an ordinary table.
func storedRelation(ref syntax.Ref, t *workspace.Table) Relation {
	return Relation{Ref: ref, Stored: t, Shape: StoredShape(t)}
}

// StoredColumns are the columns of an ordinary table. A numeric(p, s) is as wide as the engine
// allows, so that a value with too many digits is refused by its declared type.
func StoredColumns(t *workspace.Table) []column.Named {
	var out []column.Named
	for _, c := range t.Columns {
		ty := c.Type.Column()
		if ty.Kind == column.Numeric && c.Type.Typmod >= 4 {
			ty.Width = types.MaxDigits
		}
		out = append(out, column.Named{Name: c.Name, Type: ty})
	}
	return out
}

// StoredShape is the shape of an ordinary table.
func StoredShape(t *workspace.Table) scope.Shape {
	s := scope.Shape{Kind: scope.StoredTable, Schema: t.Schema, Table: t.Name, Columns: StoredColumns(t), Unique: true, Defaults: map[string]string{}}
	for _, c := range t.Columns {
		s.Types = append(s.Types, c.Type)
		if c.NotNull {
			s.Required = append(s.Required, c.Name)
		}
		if c.Identity != 0 {
			if s.Identity == nil {
				s.Identity = map[string]byte{}
			}
			s.Identity[c.Name] = c.Identity
		}
		if c.Generated != nil {
			if s.Generated == nil {
				s.Generated = map[string]string{}
			}
			s.Generated[c.Name] = c.Generated.Text
		}
		if c.Default != "" {
			s.Defaults[c.Name] = c.Default
		}
	}
	for _, c := range t.Checks {
		s.Checks = append(s.Checks, c.Text)
	}
	if t.Key != nil {
		s.Unique = t.Key.Deferral == workspace.NotDeferrable
		for _, number := range t.Key.Columns {
			s.Key = append(s.Key, t.Numbered(number).Name)
		}
	}
	for _, k := range t.Keys() {
		u := scope.UniqueKey{Name: k.Name, Where: k.Where, Index: k.Index, Deferrable: k.Deferral != workspace.NotDeferrable}
		for _, p := range k.Parts {
			if p.Column != 0 {
				u.Columns = append(u.Columns, t.Numbered(p.Column).Name)
			} else {
				u.Expressions = append(u.Expressions, p.Text)
			}
		}
		s.Uniques = append(s.Uniques, u)
	}
	return s
}

// StoredSource is the FROM item of an ordinary table: the rows that a snapshot sees, with the
// columns of the shape and the hidden ones that the statement needs. condition is one more
// condition on them, "" for none.
func (r *Relation) StoredSource(need scope.Need, snapshot workspace.Snapshot, condition string) string {
	aliases := column.AliasesOf(r.Shape.Columns)
	var items []string
	for i, c := range r.Stored.Columns {
		items = append(items, workspace.ColumnName(c.Number)+" AS "+duckdb.Ident(aliases[i]))
	}
	if alias, asked := need.System[scope.RowID]; asked {
		items = append(items, "rowid AS "+duckdb.Ident(alias))
	}
	for _, c := range heapColumns {
		if alias, asked := need.System[c.name]; asked {
			items = append(items, c.sql+" AS "+duckdb.Ident(alias))
		}
	}
	return r.Stored.Heap.SourceOf(snapshot, items, condition)
}
