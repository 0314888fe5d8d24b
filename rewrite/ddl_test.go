package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// definitions are the commands of testdata that read statements of DDL.
var definitions = map[string]func(sql string) string{
	"define": reading(definition, showDefinition), "alter": reading(alteration, showAlteration), "migrate": reading(alteration, showMigration),
	"drop": reading(ddlstmt.ParseDrops, showDrops), "comment": reading(ddlstmt.ParseComment, showComment),
}

// reading shows what is read of a statement.
func reading[T any](read func(*syntax.Statement) (T, error), show func(T) string) func(sql string) string {
	return func(sql string) string {
		st, err := syntax.Analyze(sql)
		if err != nil {
			return showError(err)
		}
		is, err := read(st)
		if err != nil {
			return showError(err)
		}
		return show(is)
	}
}

// definition goes through the steps that a session takes with a CREATE TABLE.
func definition(st *syntax.Statement) (*ddlstmt.Definition, error) {
	d, err := ddlstmt.ParseDefinition(st, testEnv{})
	if err != nil {
		return nil, err
	}
	switch {
	case d.Query != nil:
		shapes, _, err := shapesOf(d.Query)
		if err != nil {
			return nil, err
		}
		sc, err := query.Scope(d.Query, shapes, nil, testEnv{})
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
	for _, c := range d.Named {
		fmt.Fprintf(&s, "constraint %s is %s\n", c.Given, c.Name)
	}
	for _, r := range d.References {
		fmt.Fprintf(&s, "%v references %s %v@%d\n", r.Columns, showRef(r.Table), r.TableColumns, r.Position)
	}
	return s.String()
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
		shape, _ := shapeOf(l.Table)
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
	return ddlstmt.ParseAlteration(st, testEnv{})
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
	table, _ := shapeOf(a.Table)
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
			text, err := x.Value.Default(values[i].Column, testEnv{})
			if err != nil {
				return showError(err)
			}
			fmt.Fprintf(&defaults, "default of %s: %s\n", x.Column, text)
		case ddlstmt.DropDefault:
			delete(table.Defaults, x.Column)
		case ddlstmt.RenameColumn:
			values[i].Column.Name = x.To
		}
	}
	sc, err := ddlstmt.ScopeMigration(table, values, testEnv{})
	if err != nil {
		return showError(err)
	}
	out, err := sc.Bind([]string{"<" + table.Table + ">"})
	if err != nil {
		return showError(err)
	}
	return showScoped(sc, out) + defaults.String()
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

// TestExpressionText: what is kept of an expression reads as the same expression.
func TestExpressionText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1", "1"},
		{"-1.50", "-1.50"},
		{"'it''s'", "'it''s'"},
		{`E'a\\b'`, `E'a\\b'`},
		{"(1 + 2) * 3", "(1 + 2) * 3"},
		{"upper('x') || $$y$$", "upper('x') || 'y'"},
		{"CASE WHEN true THEN 1 ELSE 2 END", "CASE WHEN true THEN 1 ELSE 2 END"},
		{"'2020-01-01'::date", "'2020-01-01'::date"},
		{"CAST(1 AS numeric(10, 2))", "1::numeric(10, 2)"},
		{"CURRENT_TIMESTAMP", "current_timestamp"},
		{"ARRAY[1, 2]", "ARRAY[1, 2]"},
		{`a."B"`, `a."B"`},
	} {
		x, err := defaults.ParseExpression(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if x.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.text, x, c.want)
		}
		if again, err := defaults.ParseExpression(x.String()); err != nil || again.String() != x.String() {
			t.Errorf("%s: read again it is %v (%v)", x, again, err)
		}
	}
}

// TestOneExpression: a stored text that is more than an expression is no
// expression.
func TestOneExpression(t *testing.T) {
	for _, text := range []string{
		"", "1, DROP COLUMN a", "1; DROP TABLE t", "1 FROM customer", "1) FROM customer WHERE (1 = 1", "-- gone", "1 AS x", "*",
		"a FOR SYSTEM_TIME AS OF 3", "1 2", "'unclosed", "\x00", "\xff",
	} {
		if x, err := defaults.ParseExpression(text); err == nil {
			t.Errorf("%q is %s", text, x)
		} else {
			mustBeClient(t, text, err)
		}
	}
	if _, err := defaults.ParseExpression(strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000)); err == nil || !strings.Contains(err.Error(), "stack depth") {
		t.Errorf("5,000 brackets: %v", err)
	}
}

// TestRaised reads what the macros raise.
func TestRaised(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[22012] division by zero", "22012 at 0: division by zero\n"},
		{"[22003] numeric field overflow\x1fA field.", "22003 at 0: numeric field overflow\ndetail: A field.\n"},
		{"[22025] invalid escape string\x1f\x1f\x1fOne character.", "22025 at 0: invalid escape string\nhint: One character.\n"},
		{"[22P02] invalid input syntax for type json: \"a\nb\"", "22P02 at 0: invalid input syntax for type json: \"a\nb\"\n"},
	} {
		err, ok := enginesql.Raised(c.text)
		if !ok || showError(err) != c.want {
			t.Errorf("%q: got %q %t, want %q", c.text, showError(err), ok, c.want)
		}
	}
	if err, ok := enginesql.Raised("Conversion Error: [22012] no"); ok {
		t.Errorf("an error of the engine itself is read as %v", err)
	}
}
