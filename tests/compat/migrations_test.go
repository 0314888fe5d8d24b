package compat

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// TestMigrations compares the rows that an ALTER TABLE leaves, and the errors of
// those that it cannot take.
func TestMigrations(t *testing.T) {
	ctx := t.Context()
	filled := account
	filled.rows = []string{
		`1, 'me', 'abc', 99.95, 1.5, true, '2024-05-06 07:08:09+00', '2024-05-06', '{"b": 2}'`,
		`2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL`,
	}
	all := append(slices.Clone(tables), filled)
	real := postgresTables(t, "compat_migrations", all)
	ours := connect(t, start(t, all))
	for _, st := range statements(t, "corpus/ddl/migrations.sql") {
		must(t, ctx, real, "BEGIN")
		want := ask(ctx, real, st.SQL)
		if want.code == "" {
			want = ask(ctx, real, "SELECT * FROM "+strings.Fields(st.SQL)[2])
		}
		must(t, ctx, real, "ROLLBACK")
		got := ask(ctx, ours, st.SQL)
		got.tag = want.tag   // the side of ontosql answers with the rows
		got.oids = want.oids // and an integer is a bigint
		slices.Sort(want.names)
		slices.Sort(got.names)
		if diff := compare(want, got, false); diff != "" {
			t.Errorf("corpus/ddl/migrations.sql:%d: %s\n%s", st.Line, st.SQL, diff)
		}
	}
}

// prepareMigration prepares an ALTER TABLE as a query of the rows that it makes, in
// the order of PostgreSQL's columns.
func (s *session) prepareMigration(ctx context.Context, st *syntax.Statement) (wire.Statement, error) {
	env := env{time.Now()}
	a, err := ddlstmt.ParseAlteration(st, env)
	if err != nil {
		return nil, err
	}
	table, err := s.find(a.Table)
	if err != nil {
		return nil, err
	}
	var values []ddlstmt.MigratedColumn
	for _, c := range table.Columns {
		values = append(values, ddlstmt.MigratedColumn{Column: c, Type: ddlstmt.DeclaredType{Typmod: table.Typmods[c.Name]}, From: c.Name})
	}
	table.Defaults = maps.Clone(table.Defaults)
	for _, x := range a.Actions {
		values = migrate(values, x)
		if x.Kind == ddlstmt.DropDefault {
			delete(table.Defaults, x.Column)
		}
	}
	sc, err := ddlstmt.ScopeMigration(table, values, env)
	if err != nil {
		return nil, err
	}
	sql, err := sc.Bind([]string{"(SELECT * FROM data." + duckdb.Ident(table.Table) + ")"})
	if err != nil {
		return nil, err
	}
	prepared, err := s.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, sqlError(err, sql)
	}
	columns := describe(sc.Columns, nil)
	for i, v := range values {
		if at := len(columns) - len(values) + i; columns[at].OID == 1700 {
			columns[at].Typmod = v.Type.Typmod
		}
	}
	return &statement{session: s, scoped: sc, prepared: prepared, sql: sql, columns: columns}, nil
}

// migrate does one action to the columns of a table.
func migrate(values []ddlstmt.MigratedColumn, x ddlstmt.AlterAction) []ddlstmt.MigratedColumn {
	i := slices.IndexFunc(values, func(v ddlstmt.MigratedColumn) bool { return v.Column.Name == x.Column })
	switch x.Kind {
	case ddlstmt.AddColumn:
		c := x.Definition
		return append(values, ddlstmt.MigratedColumn{Column: column.Named{Name: c.Name, Type: declared(c.Type)}, Type: c.Type, Default: c.Default})
	case ddlstmt.DropColumn:
		return slices.Delete(values, i, i+1)
	case ddlstmt.AlterType:
		values[i].Column.Type, values[i].Type = declared(x.Type), x.Type
		if x.Value != nil {
			values[i].Value, values[i].From = x.Value, ""
		}
	case ddlstmt.RenameColumn:
		values[i].Column.Name = x.To
	}
	return values
}
