package ddlstmt

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// MigratedColumn is a column of a table after a migration and the source of its values: the
// first of Value, Default and From that is set, else NULL.
type MigratedColumn struct {
	Column column.Named
	// Type is what the statement declares the column to be. Its modifier is applied,
	// and errors name it; the zero value is Column.Type.
	Type DeclaredType
	// Stored is the type of a column of an ordinary table, the zero value for one of a type.
	Stored  types.Type
	Value   *defaults.Expression // an expression over the old columns
	Default string               // the text of a DEFAULT expression
	From    string               // an old column, cast by assignment if its type is another
}

// ScopeMigration resolves the query of the rows that a migration writes. Its
// columns are the table's Stored and then one for each of values, of its engine
// type. Its one Need is for the table as it was: expressions see the columns of that.
//
// table.Defaults are those that the columns keep: one that cannot follow its column
// to the new type is refused as PostgreSQL does, so one that the statement drops
// must not be among them.
func ScopeMigration(table scope.Shape, values []MigratedColumn, env scope.Env) (sc *scope.Scoped, err error) {
	table.System = nil
	b, err := overTable(table, env)
	if err != nil {
		return nil, err
	}
	defer scope.Recover(&err)
	from, ns := b.Reference(0, nil, -1)
	m := migrator{b: b, table: &b.Shapes[0], l: &scope.Level{Namespace: ns, Clause: defaults.InTransform}}
	var parts []string
	var columns []scope.Output
	taken := map[string]bool{}
	for _, name := range table.Stored {
		b.Uses[0].System[name] = true
		out := query.UniqueName(name, taken)
		parts = append(parts, enginesql.Quote(ns.Ranges[0].EngineAlias)+"."+enginesql.Quote(b.SystemAlias(0, name))+" AS "+enginesql.Quote(out))
		columns = append(columns, scope.Output{Name: out, Typmod: -1, Ref: -1})
	}
	for _, v := range values {
		out := query.UniqueName(v.Column.Name, taken)
		parts = append(parts, m.value(v)+" AS "+enginesql.Quote(out))
		columns = append(columns, scope.Output{Name: out, OID: types.OfColumn(v.Column.Type).OID, Typmod: -1, Ref: -1})
	}
	return b.Scoped("SELECT "+strings.Join(parts, ", ")+" FROM "+from, columns, 1), nil
}

// migrator resolves the values of a migration.
type migrator struct {
	b     *query.Binder
	table *scope.Shape // as it was
	l     *scope.Level
}

// value is the SQL of a column's new value.
func (m migrator) value(v MigratedColumn) string {
	switch {
	case v.Value != nil:
		return m.transformed(v)
	case v.Default != "":
		return defaults.ValueOrNull(m.b.Binder, v.shape(m.table), 0).SQL
	case v.From != "":
		return m.moved(v)
	}
	return coercion.NullOf(v.Column.Type)
}

// shape is the table after the migration, as far as it is this column.
func (v MigratedColumn) shape(table *scope.Shape) *scope.Shape {
	name := v.Column.Name
	s := &scope.Shape{
		Schema: table.Schema, Table: table.Table, Columns: []column.Named{v.Column},
		Defaults: map[string]string{name: v.Default}, Typmods: map[string]int32{name: v.Type.Typmod},
	}
	if v.Stored.OID != 0 {
		s.Types = []types.Type{v.Stored}
	}
	return s
}

// declared is the type that errors name.
func (v MigratedColumn) declared() types.Type {
	if v.Type.OID == 0 {
		return types.OfColumn(v.Column.Type)
	}
	return types.Of(v.Type.OID)
}

// transformed is the value of an expression.
func (m migrator) transformed(v MigratedColumn) (sql string) {
	b, to := m.b, v.declared()
	defaults.ResolveAlone(b.Binder, v.Value, m.l, func(e scope.Expr) {
		if e.Type.OID != types.Unknown && !types.Assignable(e.Type, to) {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "result of USING clause for column %q cannot be cast automatically to type %s", v.Column.Name, to).
				WithHint("You might need to add an explicit cast."), -1)
		}
		if e.Type.OID == types.Unknown {
			e.Location = -1 // PostgreSQL gives no position of it
			e = b.Coerce(e, to, types.AssignmentCast)
		}
		sql = coercion.StoredValue(v.shape(m.table), b.Assign(e, v.shape(m.table), 0).SQL, 0)
	})
	m.checkDefault(v)
	return sql
}

// moved is the value of an old column.
func (m migrator) moved(v MigratedColumn) string {
	b, to := m.b, v.declared()
	i := slices.IndexFunc(m.table.Columns, func(c column.Named) bool { return c.Name == v.From })
	if i < 0 {
		b.Fail(pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", v.From, m.table.Table), -1)
	}
	e := b.ColumnExpr(m.l.Namespace.Ranges[0].Columns[i], -1, nil)
	if !types.Assignable(e.Type, to) {
		refused := pgerr.New(pgerr.DatatypeMismatch, "column %q cannot be cast automatically to type %s", v.From, to)
		if m.table.Generated[v.From] == "" { // USING is for other columns
			refused = refused.WithHint("You might need to specify \"USING %s::%s\".", identifier(v.From), cmp.Or(v.Type.Name, to.String()))
		}
		b.Fail(refused, -1)
	}
	m.checkDefault(v)
	sql := e.SQL
	was := m.table.Columns[i].Type
	if v.Stored.OID != 0 || (was.Kind == column.Wide) != (v.Column.Type.Kind == column.Wide) || coercion.EngineColumnType(was) != coercion.EngineColumnType(v.Column.Type) {
		sql = b.Assign(e, v.shape(m.table), 0).SQL
	} else if mod := v.Type.Typmod; mod < 4 || mod == m.table.Typmods[v.From] {
		return sql
	}
	return coercion.StoredValue(v.shape(m.table), sql, 0)
}

// checkDefault returns an error if the default of a column cannot be cast to the new type
// automatically.
func (m migrator) checkDefault(v MigratedColumn) {
	name := v.Column.Name
	i := slices.IndexFunc(m.table.Columns, func(c column.Named) bool { return c.Name == name })
	if i >= 0 && m.table.Defaults[name] != "" && !types.Assignable(types.OfColumn(m.table.Columns[i].Type), v.declared()) {
		m.b.Fail(pgerr.New(pgerr.DatatypeMismatch, "default for column %q cannot be cast automatically to type %s", name, v.declared()), -1)
	}
}

// identifier writes a name as PostgreSQL's quote_identifier does.
func identifier(name string) string {
	scan, err := pg.Scan(name)
	if err == nil && len(scan.Tokens) == 1 && plainIdentifier.MatchString(name) {
		switch scan.Tokens[0].KeywordKind {
		case pg.KeywordKind_NO_KEYWORD, pg.KeywordKind_UNRESERVED_KEYWORD:
			return name
		}
	}
	return enginesql.Quote(name)
}

var plainIdentifier = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
