package sequences

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// nextvalOf is the default of a column that calls a sequence.
func nextvalOf(q *workspace.Sequence) string {
	name := str.QuoteIdent(q.Name)
	if q.Schema != workspace.TempSchema {
		name = str.QuoteIdent(q.Schema) + "." + name
	}
	return "nextval(" + enginesql.Literal(name) + "::regclass)"
}

// nextvalCall is a call of nextval with a constant in the text of an expression.
var nextvalCall = regexp.MustCompile(`\bnextval\('((?:[^']|'')*)'(?:::regclass)?\)`)

// BindNextval makes the calls of nextval in the text of a DEFAULT name their sequences with
// the schemas, as PostgreSQL keeps the sequences and not their names.
func BindNextval(s *session.Session, text string) (bound string, err error) {
	bound = nextvalCall.ReplaceAllStringFunc(text, func(call string) string {
		name := strings.ReplaceAll(nextvalCall.FindStringSubmatch(call)[1], "''", "'")
		parts, ok := str.ParseIdent(name)
		if !ok || len(parts) == 0 || len(parts) > 2 {
			return call
		}
		ref := syntax.Ref{Name: parts[len(parts)-1]}
		if len(parts) == 2 {
			ref.Schema = parts[0]
		}
		q := Find(s, ref)
		if q == nil && err == nil {
			if namespace.MayName(s, ref) {
				err = pgerr.New(pgerr.WrongObjectType, "%q is not a sequence", ref.Name)
			} else {
				err = sqlstate.UndefinedTable(sqlstate.RelationName(ref), 0)
			}
		}
		if q == nil {
			return call
		}
		return nextvalOf(q)
	})
	return bound, err
}

// InRenamed is the text of a default after a schema, which sequences may be in, has got another
// name.
func InRenamed(text, from, to string) string {
	return nextvalCall.ReplaceAllStringFunc(text, func(call string) string {
		parts, ok := str.ParseIdent(strings.ReplaceAll(nextvalCall.FindStringSubmatch(call)[1], "''", "'"))
		if !ok || len(parts) != 2 || parts[0] != from {
			return call
		}
		return nextvalOf(&workspace.Sequence{Schema: to, Name: parts[1]})
	})
}

// BindDefaults is BindNextval for columns of a table that a statement defines.
func BindDefaults(s *session.Session, st *syntax.Statement, columns []workspace.Column) error {
	for i := range columns {
		text, err := BindNextval(s, columns[i].Default)
		if err != nil {
			return placedCall(st, columns[i].Default, err)
		}
		columns[i].Default = text
	}
	return nil
}

// placedCall is the error of a call of nextval in the text of a default, at the place where the
// statement has it.
func placedCall(st *syntax.Statement, text string, err error) error {
	var e *pgerr.Error
	if !errors.As(err, &e) || st == nil {
		return err
	}
	at := *e
	for _, call := range nextvalCall.FindAllStringSubmatch(text, -1) {
		name := strings.ReplaceAll(call[1], "''", "'")
		if at.Position == 0 && strings.Contains(at.Message, strconv.Quote(name)) {
			at.Position = ddlstmt.NextvalPosition(st, name)
		}
	}
	return &at
}

// sequenceUse is a column whose default calls a sequence.
type sequenceUse struct {
	table  *workspace.Table
	column workspace.Column
}

// usesOf are the columns whose defaults call a sequence.
func usesOf(s *session.Session, q *workspace.Sequence) (out []sequenceUse) {
	call := nextvalOf(q)
	for _, t := range slices.Concat(s.Tables.Shared().All(), s.Tables.Objects.All()) {
		for _, c := range t.Columns {
			if strings.Contains(c.Default, call) {
				out = append(out, sequenceUse{t, c})
			}
		}
	}
	return out
}

// change gives the column another default.
func (u sequenceUse) change(ctx context.Context, s *session.Session, text string) error {
	if err := namespace.Lock(ctx, s, u.table, database.AccessExclusive); err != nil {
		return err
	}
	t := s.Tables.Table(u.table.Schema, u.table.Name)
	if t == nil || t.Numbered(u.column.Number) == nil {
		return nil
	}
	next := *t
	next.Columns = slices.Clone(t.Columns)
	next.Numbered(u.column.Number).Default = text
	s.Tables.Put(&next)
	return nil
}

// drop removes the default.
func (u sequenceUse) drop(ctx context.Context, s *session.Session) error { return u.change(ctx, s, "") }

// replace puts another call in the place of one.
func (u sequenceUse) replace(ctx context.Context, s *session.Session, from, to string) error {
	if from == to {
		return nil
	}
	return u.change(ctx, s, strings.ReplaceAll(u.column.Default, from, to))
}

// addDefault adds the default of a column that calls a sequence.
func addDefault(d *namespace.Dependents, u sequenceUse, q *workspace.Sequence) {
	d.Describe("default value for column "+u.column.Name+" of table "+d.Shown(u.table.Schema, u.table.Name), "sequence "+d.Shown(q.Schema, q.Name))
}

// AddOwned adds the defaults of other tables that call the sequences of tables which are
// dropped. It returns the sequences.
func AddOwned(s *session.Session, d *namespace.Dependents, tables []*workspace.Table) (out []*workspace.Sequence) {
	for _, t := range tables {
		out = append(out, s.Tables.Of(t.Schema).Owned(t, 0)...)
	}
	AddUses(s, d, out, tables)
	return out
}

// AddUses adds the columns and views that call sequences which are dropped, except those of tables which are, too.
func AddUses(s *session.Session, d *namespace.Dependents, dropped []*workspace.Sequence, tables []*workspace.Table) {
	for _, q := range dropped {
		for _, u := range usesOf(s, q) {
			if !slices.Contains(tables, u.table) {
				addDefault(d, u, q)
			}
		}
		for _, v := range s.Tables.Everything().Dependents(q.Schema, q.Name) {
			d.AddDependent(v, "sequence", q.Schema, q.Name)
		}
	}
}

// AddInSchemas adds the sequences of schemas which are dropped, and the defaults of tables in
// other schemas that call them. It returns the sequences.
func AddInSchemas(s *session.Session, d *namespace.Dependents, schemas []string) (out []*workspace.Sequence) {
	for _, q := range s.Tables.Shared().Sequences() {
		if !slices.Contains(schemas, q.Schema) {
			continue
		}
		out = append(out, q)
		if q.Owner == (workspace.Owner{}) {
			d.Describe("sequence "+d.Shown(q.Schema, q.Name), "schema "+namespace.QuotedName("", q.Schema))
		}
		for _, u := range usesOf(s, q) {
			if !slices.Contains(schemas, u.table.Schema) {
				addDefault(d, u, q)
			}
		}
	}
	return out
}

// Remove removes a sequence and the defaults that call it.
func Remove(ctx context.Context, s *session.Session, q *workspace.Sequence) error {
	if err := namespace.LockName(ctx, s, q.Schema, q.Name); err != nil {
		return err
	}
	for _, u := range usesOf(s, q) {
		if err := u.drop(ctx, s); err != nil {
			return err
		}
	}
	s.Tables.RemoveSequence(q)
	return nil
}

// Comment executes COMMENT ON SEQUENCE. ours is false if the statement names none.
func Comment(ctx context.Context, s *session.Session, st *syntax.Statement, c *ddlstmt.Comment) (ours bool, err error) {
	q, err := findOwned(ctx, s, st.Tag, c.Table, database.ShareUpdateExclusive)
	if err != nil {
		return true, err
	}
	if q == nil {
		if err := namespace.MustExist(ctx, s, c.Table); err != nil {
			return true, err
		}
		return true, namespace.NotA(c.Table.Name, "sequence")
	}
	next := *q
	if next.Comment = ""; c.Text != nil {
		next.Comment = *c.Text
	}
	s.Tables.PutSequence(&next)
	return true, nil
}
