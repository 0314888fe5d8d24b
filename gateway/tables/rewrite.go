package tables

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/workspace"
)

// finish makes a new heap if values are computed, and checks what the statement asks the rows
// to be.
func (a *alteration) finish(ctx context.Context) error {
	if len(a.computed) == 0 && len(a.notNull) == 0 && len(a.added.keys) == 0 && len(a.added.checks) == 0 && len(a.added.foreign) == 0 {
		return nil
	}
	conn, err := a.session.FreeConn(ctx)
	if err != nil {
		return err
	}
	if len(a.computed) > 0 {
		if err := a.rewrite(ctx, conn); err != nil {
			return err
		}
	}
	return a.verify(ctx, conn)
}

// rewrite copies the visible rows, with the computed values, to a new heap.
func (a *alteration) rewrite(ctx context.Context, conn *duckdb.Conn) error {
	was := relation.Relation{Stored: a.old, Shape: relation.StoredShape(a.old)}
	for i := range a.old.Columns { // a default that the statement drops does not have to follow the type
		if c := a.Numbered(a.old.Columns[i].Number); c == nil || c.Default == "" {
			delete(was.Shape.Defaults, a.old.Columns[i].Name)
		}
	}
	columns := relation.StoredColumns(a.Table)
	values, names := make([]ddlstmt.MigratedColumn, len(a.Columns)), make([]string, len(a.Columns))
	for i, c := range a.Columns {
		v, ok := a.computed[c.Number]
		if !ok {
			v = ddlstmt.MigratedColumn{From: a.old.Numbered(c.Number).Name}
		}
		v.Column = columns[i]
		values[i], names[i] = v, modify.Item(i)
	}
	sc, err := ddlstmt.ScopeMigration(was.Shape, values, a.session.NewEnv())
	if err != nil {
		return err
	}
	if err := a.checkRetyped(); err != nil {
		return err
	}
	sql, err := sc.Bind([]string{"(" + was.StoredSource(scope.Need{}, a.session.Tables.Snapshot(false), "") + ")"})
	if err != nil {
		return inDefinition(err, 0)
	}
	if sql, err = modify.GeneratedIn(a.session, a.generatedShape(), sql); err != nil {
		return inDefinition(err, 0)
	}
	h, err := a.session.Tables.CreateHeap(ctx, conn, a.Schema, a.Columns)
	if err != nil {
		return err
	}
	a.Heap = h
	from := "(" + sql + ") AS new(" + strings.Join(names, ", ") + ")"
	return a.session.Tables.Apply(ctx, conn, h, false, func(id workspace.XID) error {
		return conn.Exec(ctx, h.Insert(id, a.Columns, names, from, a.old.Heap.Rows()))
	})
}

// generatedShape is the shape of the table with those generated columns alone that the statement
// adds: others have their values.
func (a *alteration) generatedShape() scope.Shape {
	shape := relation.StoredShape(a.Table)
	for _, c := range a.Columns {
		if a.old.Numbered(c.Number) != nil {
			delete(shape.Generated, c.Name)
		}
	}
	return shape
}

// verify checks the rows, in PostgreSQL's order and with its errors.
func (a *alteration) verify(ctx context.Context, conn *duckdb.Conn) error {
	source := a.Heap.Source(a.session.Tables.Snapshot(false), []string{"*"})
	for _, number := range a.notNull {
		c := a.Numbered(number)
		null, err := modify.Exists(ctx, conn, "SELECT 1 FROM ("+source+") AS old WHERE "+workspace.ColumnName(number)+" IS NULL")
		if err != nil {
			return err
		}
		if null {
			return pgerr.New(pgerr.NotNullViolation, "column %q of relation %q contains null values", c.Name, a.Name).WithColumn(a.Schema, a.Name, c.Name)
		}
	}
	values := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		values[i] = workspace.ColumnName(c.Number)
	}
	for _, k := range modify.InOrder(a.added.checks) {
		_, violated, err := modify.Violates(ctx, a.session, a.Table, k, values, "''", "("+source+")")
		if err != nil {
			return err
		}
		if violated {
			return pgerr.New(pgerr.CheckViolation, "check constraint %q of relation %q is violated by some row", k.Name, a.Name).WithConstraint(a.Schema, a.Name, k.Name)
		}
	}
	for _, k := range a.added.keys {
		if err := modify.VerifyUnique(ctx, a.session, conn, a.Table, &k, source); err != nil {
			return err
		}
	}
	return a.verifyForeign(ctx, conn, source)
}

// verifyForeign checks the rows against foreign keys.
func (a *alteration) verifyForeign(ctx context.Context, conn *duckdb.Conn, source string) error {
	for i := range a.added.foreign {
		k, parent := &a.added.foreign[i], a.Table
		if !k.ReferencesTo(a.old) {
			parent = a.session.Tables.Table(k.Schema, k.Table)
		}
		if err := modify.CheckForeignKey(ctx, a.session, conn, workspace.Reference{Table: a.Table, Key: k}, parent, "("+source+")"); err != nil {
			return err
		}
	}
	for _, r := range a.added.references {
		if err := modify.CheckForeignKey(ctx, a.session, conn, r, a.Table, "("+r.Table.Heap.Source(a.session.Tables.Snapshot(false), []string{"*"})+")"); err != nil {
			return err
		}
	}
	return nil
}
