package tables

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/defaults"
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
	return namespace.NewSchema(s, *st.Target)
}

// Create executes CREATE TABLE, CREATE TABLE AS and SELECT INTO in a schema of ordinary tables.
// It returns the command tag.
func Create(ctx context.Context, s *session.Session, st *syntax.Statement, schema string, with RunParts) (tag string, err error) {
	if st.Kind == syntax.CreateTable { // CREATE TABLE AS plans its query first, as PostgreSQL does
		if err := s.CheckReadWrite(st.Tag); err != nil {
			return "", err
		}
	}
	def, err := ddlstmt.ParseOrdinary(st, s.NewEnv())
	if err != nil {
		return "", err
	}
	pin, err := namespace.PinForName(ctx, s, def.Table)
	if err != nil {
		return "", err
	}
	if def.Query != nil {
		return createAs(ctx, s, st, pin, schema, def, with)
	}
	if exists, err := skips(ctx, s, st, schema, def); exists || err != nil {
		return st.Tag, err
	}
	if err := include(ctx, s, pin, def); err != nil {
		return "", err
	}
	if len(def.Columns) == 0 {
		return "", pgerr.Unsupported("a table without columns is not supported").At(def.Table.Position)
	}
	t, err := define(s.Tables.Of(schema), schema, def)
	if err != nil {
		return "", err
	}
	if err := declareGenerated(s, t, def.Columns); err != nil {
		return "", err
	}
	if err := sequences.BindDefaults(s, st, t.Columns); err != nil {
		return "", err
	}
	owned, err := sequences.CreateForColumns(ctx, s, t, def.Columns)
	if err != nil {
		return "", err
	}
	for i, c := range t.Checks {
		if given := def.Checks[i].Condition; given != nil {
			_, err = modify.ScopeCondition(s, t, given)
		} else {
			_, err = modify.ScopeCheck(s, t, c.Text)
			err = inDefinition(err, 0)
		}
		if err != nil {
			return "", err
		}
	}
	if _, err := declareForeignKeys(ctx, s, t, def.References); err != nil {
		return "", err
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return "", err
	}
	if t.Heap, err = s.Tables.CreateHeap(ctx, conn, schema, t.Columns); err != nil {
		return "", err
	}
	for _, q := range owned {
		s.Tables.PutSequence(q)
	}
	if err := putNew(ctx, s, t); err != nil {
		return "", err
	}
	tellDigits(s, t, t.Columns...)
	return st.Tag, nil
}

// putNew adds a new table, which has the default privileges.
func putNew(ctx context.Context, s *session.Session, t *workspace.Table) (err error) {
	if t.Owner, t.Grants, err = namespace.NewRights(ctx, s, t.Schema, ddlstmt.OnTable); err == nil {
		s.Tables.Put(t)
	}
	return err
}

// tellDigits sends a NOTICE for each numeric column without a precision of a workspace table:
// such a column holds fewer digits than in PostgreSQL.
func tellDigits(s *session.Session, t *workspace.Table, columns ...workspace.Column) {
	for _, c := range columns {
		if c.Type.OID == types.Numeric && c.Type.Typmod < 0 && t.Schema != workspace.TempSchema {
			s.Notice(sqlstate.Notice("column %q of type numeric holds 26 digits before and 12 after the decimal point", c.Name).
				WithDetail("Digits after the 12th are rounded.").WithHint("Declare as many as you need, for example numeric(38,20)."))
		}
	}
}

// skips reports whether the table exists and the statement is IF NOT EXISTS. Without that it is
// an error.
func skips(ctx context.Context, s *session.Session, st *syntax.Statement, schema string, def *ddlstmt.Definition) (bool, error) {
	if err := lockName(ctx, s, st, schema, def); err != nil {
		return false, err
	}
	switch {
	case !namespace.NamesIn(s.Tables.Of(schema), schema).HasRelation(def.Table.Name):
		return false, nil
	case def.IfNotExists:
		s.Notice(sqlstate.Skipped(pgerr.DuplicateTable, "relation %q already exists, skipping", def.Table.Name))
		return true, nil
	}
	return true, pgerr.New(pgerr.DuplicateTable, "relation %q already exists", def.Table.Name)
}

// inDefinition is an error of an expression in a definition, with a position of the statement in
// place of the one in the expression's text.
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
func include(ctx context.Context, s *session.Session, pin *resolver.Pin, def *ddlstmt.Definition) error {
	if len(def.Likes) == 0 {
		return nil
	}
	sources := make([]ddlstmt.LikeSource, len(def.Likes))
	for i, like := range def.Likes {
		r, err := s.Resolver().Resolve(pin, like.Table)
		if err != nil {
			return err
		}
		if governed, err := s.Governed(ctx); err != nil || governed {
			if err == nil {
				err = s.Permitted(pin.Catalog, []planner.Demand{{Relation: &r, Privilege: acl.Select}})
			}
			if err != nil {
				return err
			}
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
		if t := r.Stored; t != nil {
			includeIdentity(s, t, sources[i].Columns)
			if t.Key != nil {
				sources[i].Timing, sources[i].Options = timing(t.Key.Deferral), t.Key.Storage
			}
			if err := includeGenerated(t, sources[i].Columns); err != nil {
				return err
			}
			for _, u := range t.Uniques {
				sources[i].Uniques = append(sources[i].Uniques, ddlstmt.UniqueConstraint{Columns: namesOf(t, u.Columns), Timing: timing(u.Deferral), Options: u.Storage})
			}
			for _, c := range t.Checks {
				sources[i].Checks = append(sources[i].Checks, ddlstmt.CheckConstraint{Name: c.Name, Text: c.Text, Columns: namesOf(t, c.Columns)})
			}
		}
	}
	return def.Include(sources)
}

// lockName locks the name of a table that a statement creates.
func lockName(ctx context.Context, s *session.Session, st *syntax.Statement, schema string, def *ddlstmt.Definition) error {
	if schema != workspace.TempSchema && def.OnCommit != ddlstmt.PreserveRows {
		return pgerr.New(pgerr.InvalidTableDefinition, "ON COMMIT can only be used on temporary tables")
	}
	return namespace.LockCreation(ctx, s, st, schema, def.Table)
}

// define is the table of a definition, without its heap, in a schema with other
// objects.
func define(o *workspace.Objects, schema string, def *ddlstmt.Definition) (*workspace.Table, error) {
	t := &workspace.Table{Schema: schema, Name: def.Table.Name, OnCommit: workspace.OnCommit(def.OnCommit), Options: def.Options}
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
	keys    []workspace.Key
	checks  []workspace.Check
	foreign []workspace.ForeignKey
	// references are foreign keys of other tables.
	references []workspace.Reference
}

// declare gives a table the constraints of a definition. Those without a name get PostgreSQL's.
func declare(o *workspace.Objects, t *workspace.Table, def *ddlstmt.Definition) (added declared, err error) {
	taken := namespace.NamesWith(o, t)
	for _, c := range def.Checks {
		parts := []string{"check"}
		if len(c.Columns) == 1 {
			parts = []string{c.Columns[0], "check"}
		}
		k := workspace.Check{Text: c.Text, Columns: numbers(t, columnsNamed(t, c.Columns)), NotValid: c.NotValid}
		for _, number := range k.Columns { // PostgreSQL shows them without the name of the table
			name := t.Numbered(number).Name
			if k.Text, err = defaults.RenameColumn(k.Text, name, str.QuoteIdent(name)); err != nil {
				return added, err
			}
		}
		if c.Name != "" && slices.ContainsFunc(added.checks, func(o workspace.Check) bool { return o.Name == c.Name }) {
			return added, pgerr.New(pgerr.DuplicateObject, "check constraint %q already exists", c.Name)
		}
		if k.Name, err = taken.Check(t, c.Name, parts...); err != nil {
			return added, err
		}
		t.Checks, added.checks = append(t.Checks, k), append(added.checks, k)
	}
	if len(def.Key) > 0 {
		var columns []string
		for _, k := range def.Key {
			columns = append(columns, k.Name)
		}
		u := workspace.Unique{Number: t.NextUnique(), Columns: numbers(t, columns), Deferral: deferral(def.KeyTiming), Storage: def.KeyOptions}
		if err := checkOrdered(t, u); err != nil {
			return added, err
		}
		if u.Name, err = taken.Key(t, def.KeyName, "pkey"); err != nil {
			return added, err
		}
		t.Key, added.keys = &u, append(added.keys, u.Key())
	}
	for _, d := range def.Uniques {
		u := workspace.Unique{Number: t.NextUnique(), Columns: numbers(t, d.Columns), Deferral: deferral(d.Timing), Storage: d.Options}
		if err := checkOrdered(t, u); err != nil {
			return added, err
		}
		if u.Name, err = taken.Key(t, d.Name, append(slices.Clone(d.Columns), "key")...); err != nil {
			return added, err
		}
		t.Uniques, added.keys = append(t.Uniques, u), append(added.keys, u.Key())
	}
	return added, nil
}

// deferral is when a constraint is checked, of what a statement declares.
func deferral(t ddlstmt.Timing) workspace.Deferral {
	switch {
	case t.Deferred:
		return workspace.InitiallyDeferred
	case t.Deferrable:
		return workspace.InitiallyImmediate
	}
	return workspace.NotDeferrable
}

// timing is the declaration of a deferral.
func timing(d workspace.Deferral) ddlstmt.Timing {
	return ddlstmt.Timing{Deferrable: d != workspace.NotDeferrable, Deferred: d == workspace.InitiallyDeferred}
}

// checkOrdered is the error of a unique constraint on a column whose type has no order.
func checkOrdered(t *workspace.Table, u workspace.Unique) error {
	for _, number := range u.Columns {
		if c := t.Numbered(number); pgcatalog.DefaultOperatorClass("btree", c.Type.OID) == 0 {
			return noDefaultClass(c.Type, "btree")
		}
	}
	return nil
}

// columnsNamed are those names that are of columns.
func columnsNamed(t *workspace.Table, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return t.Column(name) == nil })
}

// namesOf are the names of columns.
func namesOf(t *workspace.Table, numbers []int) []string {
	var out []string
	for _, n := range numbers {
		out = append(out, t.Numbered(n).Name)
	}
	return out
}

// numbers are the numbers of columns.
func numbers(t *workspace.Table, columns []string) []int {
	var out []int
	for _, c := range columns {
		out = append(out, t.Column(c).Number)
	}
	return out
}
