package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// CreationSchema is the schema in which a CREATE TABLE, CREATE TABLE AS or SELECT INTO creates
// an ordinary table, "" if it creates a type: TEMP says so, its name, or the first schema of the
// search path.
func CreationSchema(s *session.Session, st *syntax.Statement) string {
	if ddlstmt.Temporary(st) {
		return workspace.TempSchema
	}
	return newSchema(s, *st.Target)
}

// newSchema is the schema of ordinary tables in which a relation of a name is created, "" for a
// schema of the ontology.
func newSchema(s *session.Session, ref syntax.Ref) string {
	schema := ref.Schema
	if schema == "" {
		if path := s.Resolver().CatalogPath(); len(path) > 0 {
			schema = path[0]
		}
	}
	if schema == workspace.TempSchema || s.Tables.Shared().HasSchema(schema) {
		return schema
	}
	return ""
}

// Create executes CREATE TABLE, CREATE TABLE AS and SELECT INTO in a schema of ordinary tables.
// It returns the command tag.
func Create(ctx context.Context, s *session.Session, st *syntax.Statement, schema string, with RunParts) (tag string, err error) {
	def, err := ddlstmt.ParseOrdinary(st, s.NewEnv())
	if err != nil {
		return "", err
	}
	if err := s.Resolver().InDatabase(def.Table); err != nil {
		return "", err
	}
	if err := lockName(ctx, s, st, schema, def); err != nil {
		return "", err
	}
	if namesIn(s.Tables.Of(schema), schema).relations[def.Table.Name] {
		if def.IfNotExists {
			s.Notice(sqlstate.Skipped(pgerr.DuplicateTable, "relation %q already exists, skipping", def.Table.Name))
			return st.Tag, nil
		}
		return "", pgerr.New(pgerr.DuplicateTable, "relation %q already exists", def.Table.Name)
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return "", err
	}
	if def.Query != nil {
		return createAs(ctx, s, pin, schema, def, with)
	}
	if err := include(s, pin, def); err != nil {
		return "", err
	}
	if len(def.Columns) == 0 {
		return "", pgerr.Unsupported("a table without columns is not supported").At(def.Table.Position)
	}
	t, err := define(s.Tables.Of(schema), schema, def)
	if err != nil {
		return "", err
	}
	sequences, err := ownedSequences(s.Tables.Of(schema), t, def.Columns)
	if err != nil {
		return "", err
	}
	for i, c := range t.Checks {
		if _, err := scopeCheck(s, t, c.Text); err != nil {
			return "", inDefinition(err, def.Checks[i].Position)
		}
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return "", err
	}
	if t.Heap, err = s.Tables.CreateHeap(ctx, conn, schema, t.Columns); err != nil {
		return "", err
	}
	for _, q := range sequences {
		s.Tables.Set(s.Tables.Objects.WithSequence(q))
	}
	s.Tables.Put(t)
	return st.Tag, nil
}

// inDefinition is the error of a condition, whose text is not the client's, at a position of
// the statement.
func inDefinition(err error, position int) error {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return err
	}
	at := *e
	at.Position = position
	return &at
}

// include gives a definition the columns of its LIKE clauses.
func include(s *session.Session, pin *resolver.Pin, def *ddlstmt.Definition) error {
	if len(def.Likes) == 0 {
		return nil
	}
	sources := make([]ddlstmt.LikeSource, len(def.Likes))
	for i, like := range def.Likes {
		r, err := s.Resolver().Resolve(pin, like.Table)
		if err != nil {
			return err
		}
		for k, c := range r.Shape.Columns {
			ty := r.Shape.TypeOf(k)
			if mod, ok := r.Shape.Typmods[c.Name]; ok && k >= len(r.Shape.Types) {
				ty.Typmod = mod
			}
			declared, err := ddlstmt.StoredType(c.Name, ty)
			if err != nil {
				return err
			}
			sources[i].Columns = append(sources[i].Columns, ddlstmt.ColumnDefinition{
				Name: c.Name, Type: declared, Default: r.Shape.Defaults[c.Name],
				NotNull: slices.Contains(r.Shape.Required, c.Name) || slices.Contains(r.Shape.Key, c.Name),
			})
		}
		sources[i].Key = r.Shape.Key
	}
	return def.Include(sources)
}

// lockName locks the name of a table that a statement creates.
func lockName(ctx context.Context, s *session.Session, st *syntax.Statement, schema string, def *ddlstmt.Definition) error {
	if schema != workspace.TempSchema && def.OnCommit != ddlstmt.PreserveRows {
		return pgerr.New(pgerr.InvalidTableDefinition, "ON COMMIT can only be used on temporary tables")
	}
	return lockCreation(ctx, s, st, schema, def.Table)
}

// lockCreation locks the name of a relation that is created in a schema, and the schema.
func lockCreation(ctx context.Context, s *session.Session, st *syntax.Statement, schema string, ref syntax.Ref) error {
	if schema == workspace.TempSchema {
		return s.CheckReadWrite(st.Tag)
	}
	if err := checkShared(s, st.Tag); err != nil {
		return err
	}
	if err := lockSchema(ctx, s, schema, database.AccessShare); err != nil {
		return err
	}
	if !s.Tables.Shared().HasSchema(schema) { // it was dropped meanwhile
		return sqlstate.UndefinedSchema(schema).At(ref.Position)
	}
	return s.Lock(ctx, tableTag(schema, ref.Name), database.AccessExclusive, true)
}

// define is the table of a definition, without its heap, in a schema with other
// objects.
func define(o *workspace.Objects, schema string, def *ddlstmt.Definition) (*workspace.Table, error) {
	t := &workspace.Table{Schema: schema, Name: def.Table.Name, OnCommit: workspace.OnCommit(def.OnCommit)}
	for _, c := range def.Columns {
		t.Columns = append(t.Columns, newColumn(t, &c))
	}
	_, err := declare(o, t, def)
	return t, err
}

// newColumn is the next column of a table.
func newColumn(t *workspace.Table, c *ddlstmt.ColumnDefinition) workspace.Column {
	return workspace.Column{Number: t.NextNumber(), Name: c.Name, Type: declaredType(c.Type), NotNull: c.NotNull, Default: c.Default}
}

func declaredType(d ddlstmt.DeclaredType) types.Type { return types.Type{OID: d.OID, Typmod: d.Typmod} }

// declared are constraints that a statement has added to a table.
type declared struct {
	keys   []workspace.Unique
	checks []workspace.Check
}

// declare gives a table the constraints of a definition. Those without a name get PostgreSQL's.
func declare(o *workspace.Objects, t *workspace.Table, def *ddlstmt.Definition) (added declared, err error) {
	taken := namesIn(o.With(t), t.Schema)
	for _, c := range def.Checks {
		parts := []string{"check"}
		if c.Column != "" {
			parts = []string{c.Column, "check"}
		} else if len(c.Columns) == 1 {
			parts = []string{c.Columns[0], "check"}
		}
		k := workspace.Check{Text: c.Text, Columns: numbers(t, columnsNamed(t, c.Columns)), NotValid: c.NotValid}
		for _, number := range k.Columns { // PostgreSQL shows them without the name of the table
			name := t.Numbered(number).Name
			if k.Text, err = defaults.RenameColumn(k.Text, name, str.QuoteIdent(name)); err != nil {
				return added, err
			}
		}
		if k.Name, err = taken.check(t, c.Name, parts...); err != nil {
			return added, err
		}
		t.Checks, added.checks = append(t.Checks, k), append(added.checks, k)
	}
	if len(def.Key) > 0 {
		var columns []string
		for _, k := range def.Key {
			columns = append(columns, k.Name)
		}
		u := workspace.Unique{Number: t.NextUnique(), Columns: numbers(t, columns)}
		if u.Name, err = taken.key(t, def.KeyName, "pkey"); err != nil {
			return added, err
		}
		t.Key, added.keys = &u, append(added.keys, u)
	}
	for _, d := range def.Uniques {
		u := workspace.Unique{Number: t.NextUnique(), Columns: numbers(t, d.Columns)}
		if u.Name, err = taken.key(t, d.Name, append(slices.Clone(d.Columns), "key")...); err != nil {
			return added, err
		}
		t.Uniques, added.keys = append(t.Uniques, u), append(added.keys, u)
	}
	return added, nil
}

// columnsNamed are those names that are of columns.
func columnsNamed(t *workspace.Table, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return t.Column(name) == nil })
}

// numbers are the numbers of columns.
func numbers(t *workspace.Table, columns []string) []int {
	var out []int
	for _, c := range columns {
		out = append(out, t.Column(c).Number)
	}
	return out
}

// createAs creates a table with the columns and the rows of a query.
func createAs(ctx context.Context, s *session.Session, pin *resolver.Pin, schema string, def *ddlstmt.Definition, with RunParts) (tag string, err error) {
	query, err := s.Plan(pin, def.Query, nil)
	if err != nil {
		return "", err
	}
	if schema != workspace.TempSchema && len(query.Writes()) > 0 {
		return "", sqlstate.TwoWorlds()
	}
	outputs := slices.Clone(query.Scoped.Columns)
	for i, c := range query.Columns {
		outputs[i].OID, outputs[i].Typmod = c.OID, c.Typmod // as they are declared
	}
	if err := def.Select(outputs); err != nil {
		return "", err
	}
	if err := s.PrepareCatalog(ctx, pin, query); err != nil {
		return "", err
	}
	t, err := define(s.Tables.Of(schema), schema, def)
	if err != nil {
		return "", err
	}
	var count int64
	fill := func(ctx context.Context, parts reading.Parts) error {
		count, err = fillHeap(ctx, s, pin, t, def, query, outputs, parts)
		return err
	}
	switch {
	case len(query.Parts) == 0:
		err = fill(ctx, nil)
	case def.NoData:
		err = fill(ctx, reading.Parts{})
	case schema != workspace.TempSchema && len(query.Writes()) > 0:
		err = sqlstate.TwoWorlds()
	default:
		err = with(ctx, pin, def.Query, query, fill)
	}
	if err != nil {
		return "", err
	}
	s.Tables.Put(t)
	if def.NoData {
		return "CREATE TABLE AS", nil
	}
	return fmt.Sprintf("SELECT %d", count), nil
}

// RunParts runs the parts of a query whose WITH clause writes, and the query itself by run
// (package gateway/parts).
type RunParts func(ctx context.Context, pin *resolver.Pin, st *syntax.Statement, p *planner.Plan, run func(context.Context, reading.Parts) error) error

// fillHeap makes the heap of a table with the rows of a query. It returns their number.
func fillHeap(ctx context.Context, s *session.Session, pin *resolver.Pin, t *workspace.Table, def *ddlstmt.Definition, query *planner.Plan, outputs []scope.Output, parts reading.Parts) (int64, error) {
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return 0, err
	}
	return reading.OverMirror(ctx, reading.Sources{Session: s, Once: true, Parts: parts}, func(src *reading.Sources) (n int64, err error) {
		if err := src.Find(ctx, pin, query, nil); err != nil {
			return 0, err
		}
		h := s.Tables.Reserve(t.Schema)
		xid, err := s.Tables.Number(ctx, conn, h)
		if err != nil {
			return 0, err
		}
		err = src.RunStatement(ctx, query, nil, func(sql string) string {
			if def.NoData {
				sql += " LIMIT 0"
			}
			return h.CreateAs(xid, t.Columns, len(query.Columns), sql)
		})
		if err != nil {
			return 0, err
		}
		s.Tables.Created(h)
		t.Heap = h
		if n, err = describeHeap(ctx, conn, t, query, outputs); err != nil {
			return 0, err
		}
		src.Release(context.WithoutCancel(ctx))
		return n, nil
	})
}

// describeHeap reads back what the engine has made of a query: the digits of numerics, and the
// number of rows.
func describeHeap(ctx context.Context, conn *duckdb.Conn, t *workspace.Table, query *planner.Plan, outputs []scope.Output) (rows int64, err error) {
	columns, err := columnsOf(ctx, conn, "SELECT * FROM "+t.Heap.SQL()+" LIMIT 0")
	if err != nil {
		return 0, err
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Type.OID != types.Numeric || c.Type.Typmod >= 4 {
			continue
		}
		c.Type.Numeric = types.StoredDigits(columns[i].Type)
		c.Type.Numeric.DisplayScale = max(outputs[i].Scale, 0)
	}
	return countRows(ctx, conn, t.Heap.SQL())
}
