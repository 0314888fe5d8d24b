package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// account is a table with defaults and declared lengths. Both sides read its
// CREATE TABLE.
var account = table{
	name: "account", key: []string{"id"},
	columns: []tableColumn{
		{"id", "bigint", bigint},
		{"owner", "text", text},
		{"code", "text", text},
		{`limit`, "numeric", numeric},
		{"score", "double precision", double},
		{"flag", "boolean", boolean},
		{"opened", "timestamptz", timestamp},
		{"day", "date", date},
		{"doc", "jsonb", jsonb},
	},
	ddl: `CREATE TABLE account (id bigint PRIMARY KEY DEFAULT 1 + 100, owner text DEFAULT 'no' || 'body', code varchar(3), "limit" numeric(5,2) DEFAULT 1.5,
		score double precision DEFAULT -1, flag boolean DEFAULT (NOT true), opened timestamptz DEFAULT '2020-01-01 00:00:00+00',
		day date DEFAULT '2020-02-29'::date + 1, doc jsonb DEFAULT '{"a": [1]}')`,
}

// TestDefinedValues compares what writes to a table with defaults and declared
// lengths leave behind, and what is refused.
func TestDefinedValues(t *testing.T) {
	ctx := t.Context()
	all := append(slices.Clone(tables), account)
	real := postgresTables(t, "compat_values", all)
	ours := connect(t, start(t, all))
	for _, st := range statements(t, "corpus/ddl/values.sql") {
		want := ask(ctx, real, st.SQL)
		diff := compare(want, ask(ctx, ours, st.SQL), ordered(st.SQL))
		if want.code != "" {
			if p, o := said(ctx, real, st.SQL), said(ctx, ours, st.SQL); p != o {
				diff = "  postgres: " + p + "\n  ontosql:  " + o
			}
		}
		if diff != "" {
			t.Errorf("corpus/ddl/values.sql:%d: %s\n%s", st.Line, st.SQL, diff)
		}
	}
}

// TestDefinitionErrors compares every field of the errors of invalid definitions: SQLSTATE,
// message, detail, hint and, where PostgreSQL sends one, position.
func TestDefinitionErrors(t *testing.T) {
	ctx := t.Context()
	all := append(slices.Clone(tables), account)
	real := postgresTables(t, "compat_definitions", all)
	shapes := map[string]scope.Shape{}
	for _, tab := range all {
		shapes[tab.name] = tab.shape()
	}
	for _, st := range statements(t, "corpus/ddl/errors.sql") {
		_, err := real.Exec(ctx, st.SQL).ReadAll()
		var p *pgconn.PgError
		if !errors.As(err, &p) {
			t.Errorf("corpus/ddl/errors.sql:%d: %s: PostgreSQL does it (%v)", st.Line, st.SQL, err)
			continue
		}
		want := told(p.Code, p.Message, int(p.Position), p.Detail, p.Hint)
		err = define(st.SQL, shapes)
		got := fmt.Sprint(err)
		var e *pgerr.Error
		if errors.As(err, &e) {
			if p.Position == 0 {
				e.Position = 0
			}
			got = told(e.Code, e.Message, e.Position, e.Detail, e.Hint)
		}
		if want != got {
			t.Errorf("corpus/ddl/errors.sql:%d: %s\n  postgres: %s\n  ontosql:  %s", st.Line, st.SQL, want, got)
		}
	}
}

// define reads a definition as a session does that has these tables.
func define(sql string, shapes map[string]scope.Shape) error {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return err
	}
	env := env{time.Now()}
	switch st.Kind {
	case syntax.CreateTable, syntax.CreateTableAs:
		d, err := ddlstmt.ParseDefinition(st, env)
		switch {
		case err != nil:
			return err
		case d.Query != nil:
			refs := make([]scope.Shape, len(d.Query.Refs))
			for i, r := range d.Query.Refs {
				refs[i] = shapes[r.Name]
			}
			sc, err := query.Scope(d.Query, refs, nil, env)
			if err != nil {
				return err
			}
			return d.Select(sc.Columns)
		case d.Likes != nil:
			return include(d, shapes)
		}
		return nil
	case syntax.AlterTable:
		a, err := ddlstmt.ParseAlteration(st, env)
		if err != nil {
			return err
		}
		for _, x := range a.Actions {
			if err := alter(x, shapes[a.Table.Name], env); err != nil {
				return err
			}
		}
		return nil
	case syntax.Drop:
		_, err = ddlstmt.ParseDrops(st)
	case syntax.CommentOn:
		_, err = ddlstmt.ParseComment(st)
	}
	return err
}

func include(d *ddlstmt.Definition, shapes map[string]scope.Shape) error {
	var sources []ddlstmt.LikeSource
	for _, l := range d.Likes {
		shape := shapes[l.Table.Name]
		source := ddlstmt.LikeSource{Key: shape.Key}
		for _, c := range shape.Columns {
			source.Columns = append(source.Columns, ddlstmt.ColumnDefinition{Name: c.Name, Default: shape.Defaults[c.Name]})
		}
		sources = append(sources, source)
	}
	return d.Include(sources)
}

func alter(x ddlstmt.AlterAction, table scope.Shape, env scope.Env) error {
	i := slices.IndexFunc(table.Columns, func(c column.Named) bool { return c.Name == x.Column })
	switch x.Kind {
	case ddlstmt.SetDefault:
		_, err := x.Value.Default(table.Columns[i], env)
		return err
	case ddlstmt.AlterType:
		v := ddlstmt.MigratedColumn{Column: column.Named{Name: x.Column, Type: declared(x.Type)}, Type: x.Type, Value: x.Value}
		if v.Value == nil {
			v.From = x.Column
		}
		_, err := ddlstmt.ScopeMigration(table, []ddlstmt.MigratedColumn{v}, env)
		return err
	}
	return nil
}

// declared is the column that a declared type makes.
func declared(ty ddlstmt.DeclaredType) column.Type {
	name, _, _ := strings.Cut(ty.Name, "(")
	if c, ok := map[string]column.Type{
		"integer": bigint, "bigint": bigint, "double precision": double, "numeric": numeric, "boolean": boolean, "date": date, "jsonb": jsonb, "timestamp with time zone": timestamp,
	}[name]; ok {
		return c
	}
	return text
}
