package ddlstmt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// definitions are the commands of testdata that read statements of DDL.
var definitions = map[string]func(sql string) string{
	"define": reading(definition, showDefinition), "alter": reading(alteration, showAlteration), "migrate": reading(alteration, showMigration),
	"drop": reading(ddlstmt.ParseDrops, showDrops), "comment": reading(ddlstmt.ParseComment, showComment),
}

// TestData runs the statements of testdata/ddl.txt and compares what is read of them.
func TestData(t *testing.T) {
	datadriven.RunTest(t, "testdata/ddl.txt", func(t *testing.T, d *datadriven.TestData) string {
		show := definitions[d.Cmd]
		if show == nil {
			t.Fatalf("unknown command %q", d.Cmd)
		}
		return show(d.Input)
	})
}

// reading shows what is read of a statement.
func reading[T any](read func(*syntax.Statement) (T, error), show func(T) string) func(sql string) string {
	return func(sql string) string {
		st, err := syntax.Analyze(sql)
		if err != nil {
			return rewritetest.ShowError(err)
		}
		is, err := read(st)
		if err != nil {
			return rewritetest.ShowError(err)
		}
		return show(is)
	}
}

// definition goes through the steps that a session takes with a CREATE TABLE.
func definition(st *syntax.Statement) (*ddlstmt.Definition, error) {
	d, err := ddlstmt.ParseDefinition(st, rewritetest.Env{})
	if err != nil {
		return nil, err
	}
	switch {
	case d.Query != nil:
		shapes, _, err := rewritetest.ShapesOf(d.Query)
		if err != nil {
			return nil, err
		}
		sc, err := query.Scope(d.Query, shapes, nil, rewritetest.Env{})
		if err != nil {
			return nil, err
		}
		return d, d.Select(sc.Columns)
	case d.Likes != nil:
		return d, d.Include(sourcesOf(d.Likes))
	}
	return d, nil
}

func showDefinition(d *ddlstmt.Definition) string {
	var s strings.Builder
	fmt.Fprintf(&s, "table %s if_not_exists=%t no_data=%t\n", showRef(d.Table), d.IfNotExists, d.NoData)
	for _, c := range d.Columns {
		s.WriteString("column " + showColumn(c) + "\n")
	}
	for _, l := range d.Likes {
		fmt.Fprintf(&s, "like %s before %d defaults=%t comments=%t indexes=%t\n", showRef(l.Table), l.At, l.Defaults, l.Comments, l.Indexes)
	}
	for _, k := range d.Key {
		fmt.Fprintf(&s, "key %s@%d\n", k.Name, k.Position)
	}
	if d.Ordinary {
		fmt.Fprintf(&s, "temporary on_commit=%d key=%q%s\n", d.OnCommit, d.KeyName, showTiming(d.KeyTiming))
	}
	for _, u := range d.Uniques {
		fmt.Fprintf(&s, "unique %q %v@%d%s\n", u.Name, u.Columns, u.Position, showTiming(u.Timing))
	}
	for _, c := range d.Checks {
		fmt.Fprintf(&s, "check %q %q %s@%d\n", c.Name, c.Column, c.Text, c.Position)
	}
	for _, c := range d.Named {
		fmt.Fprintf(&s, "constraint %s is %s\n", c.Given, c.Name)
	}
	for _, r := range d.References {
		fmt.Fprintf(&s, "%v references %s %v@%d%s\n", r.Columns, showRef(r.Table), r.TableColumns, r.Position, showTiming(r.Timing))
	}
	return s.String()
}

func showTiming(t ddlstmt.Timing) string {
	return map[ddlstmt.Timing]string{{}: "", {Deferrable: true}: " deferrable", {Deferrable: true, Deferred: true}: " deferred"}[t]
}

func showRef(r syntax.Ref) string {
	return fmt.Sprintf("%s@%d", strings.TrimPrefix(r.Schema+"."+r.Name, "."), r.Position)
}

func showColumn(c ddlstmt.ColumnDefinition) string {
	s := fmt.Sprintf("%s@%d %s (%d, %d)", c.Name, c.Position, c.Type.Name, c.Type.OID, c.Type.Typmod)
	if c.NotNull {
		s += " not null"
	}
	if c.Default != "" {
		s += " default " + c.Default
	}
	return s
}

// sourcesOf are the tables of LIKE clauses as the catalog of the tests has them.
func sourcesOf(likes []ddlstmt.Like) (out []ddlstmt.LikeSource) {
	for _, l := range likes {
		shape, _ := rewritetest.ShapeOf(l.Table)
		source := ddlstmt.LikeSource{Key: shape.Key}
		for _, c := range shape.Columns {
			mod, ok := shape.Typmods[c.Name]
			ty := types.OfColumn(c.Type)
			if ty.Typmod = -1; ok {
				ty.Typmod = mod
			}
			declared, err := ddlstmt.DeclareType(c.Name, ty.OID, ty.Typmod)
			if err != nil {
				panic(err)
			}
			source.Columns = append(source.Columns, ddlstmt.ColumnDefinition{
				Name: c.Name, Type: declared, NotNull: slices.Contains(shape.Key, c.Name), Default: shape.Defaults[c.Name], Position: 1,
			})
		}
		out = append(out, source)
	}
	return out
}

func alteration(st *syntax.Statement) (*ddlstmt.Alteration, error) {
	return ddlstmt.ParseAlteration(st, rewritetest.Env{})
}

func showAlteration(a *ddlstmt.Alteration) string {
	names := []string{"add", "drop", "type", "set default", "drop default", "set not null", "drop not null", "rename column", "rename table"}
	var s strings.Builder
	fmt.Fprintf(&s, "table %s if_exists=%t\n", showRef(a.Table), a.IfExists)
	for _, x := range a.Actions {
		fmt.Fprintf(&s, "%d: %s", x.Position, names[x.Kind])
		switch x.Kind {
		case ddlstmt.AddColumn:
			s.WriteString(" " + showColumn(x.Definition))
		case ddlstmt.AlterType:
			s.WriteString(" of " + x.Column + " to " + x.Type.Name)
		default:
			s.WriteString(" " + x.Column)
		}
		if x.Value != nil {
			s.WriteString(" as " + x.Value.String())
		}
		if x.To != "" {
			s.WriteString(" to " + x.To)
		}
		fmt.Fprintf(&s, " exists=%t cascade=%t\n", x.Exists, x.Cascade)
	}
	return s.String()
}

// showMigration goes through the steps that a session takes with an ALTER TABLE.
func showMigration(a *ddlstmt.Alteration) string {
	table, _ := rewritetest.ShapeOf(a.Table)
	var values []ddlstmt.MigratedColumn
	for _, c := range table.Columns {
		values = append(values, ddlstmt.MigratedColumn{Column: c, Type: ddlstmt.DeclaredType{Typmod: table.Typmods[c.Name]}, From: c.Name})
	}
	var defaults strings.Builder
	for _, x := range a.Actions {
		i := slices.IndexFunc(values, func(v ddlstmt.MigratedColumn) bool { return v.Column.Name == x.Column })
		switch x.Kind {
		case ddlstmt.AddColumn:
			c := x.Definition
			values = append(values, ddlstmt.MigratedColumn{Column: column.Named{Name: c.Name, Type: kindOf(c.Type)}, Type: c.Type, Default: c.Default})
		case ddlstmt.DropColumn:
			values = slices.Delete(values, i, i+1)
		case ddlstmt.AlterType:
			values[i].Column.Type, values[i].Type = kindOf(x.Type), x.Type
			if values[i].Value = x.Value; x.Value != nil {
				values[i].From = ""
			}
		case ddlstmt.SetDefault:
			text, err := x.Value.Default(values[i].Column, rewritetest.Env{})
			if err != nil {
				return rewritetest.ShowError(err)
			}
			fmt.Fprintf(&defaults, "default of %s: %s\n", x.Column, text)
		case ddlstmt.DropDefault:
			delete(table.Defaults, x.Column)
		case ddlstmt.RenameColumn:
			values[i].Column.Name = x.To
		}
	}
	sc, err := ddlstmt.ScopeMigration(table, values, rewritetest.Env{})
	if err != nil {
		return rewritetest.ShowError(err)
	}
	out, err := sc.Bind([]string{"<" + table.Table + ">"})
	if err != nil {
		return rewritetest.ShowError(err)
	}
	return rewritetest.ShowScoped(sc, out) + defaults.String()
}

// kindOf is the column of a declared type, as the catalog of the tests has it.
func kindOf(ty ddlstmt.DeclaredType) column.Type {
	kinds := map[uint32]column.Kind{
		types.Int8: column.Int64, types.Int4: column.Int64, types.Numeric: column.Numeric, types.JSONB: column.JSON,
		types.Float8: column.Float64, types.Date: column.Date, types.TimestampTZ: column.TimestampTZ, types.Bool: column.Bool,
	}
	kind, ok := kinds[ty.OID]
	if !ok {
		kind = column.Text
	}
	return column.Type{Kind: kind, Width: 38, Scale: 12}
}

func showDrops(d *ddlstmt.Drops) string {
	s := fmt.Sprintf("if_exists=%t cascade=%t\n", d.IfExists, d.Cascade)
	for i, r := range d.Names {
		s += strings.TrimSpace(d.Object+" "+showRef(r)+" "+d.Parts[i]) + "\n"
	}
	return s
}

func showComment(c *ddlstmt.Comment) string {
	text := "none"
	if c.Text != nil {
		text = fmt.Sprintf("%q", *c.Text)
	}
	return fmt.Sprintf("%s column=%q: %s\n", showRef(c.Table), c.Column, text)
}
