package sequences

import (
	"context"

	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// CreateForColumns makes the sequences of the serial and IDENTITY columns among those of a
// definition, and gives the columns of the table their defaults.
func CreateForColumns(ctx context.Context, s *session.Session, t *workspace.Table, columns []ddlstmt.ColumnDefinition) (out []*workspace.Sequence, err error) {
	taken := namespace.NamesWith(s.Tables.Of(t.Schema), t)
	for i := range columns {
		d := &columns[i]
		if d.Sequence == nil {
			continue
		}
		q, err := CreateForColumn(ctx, s, t, d, taken)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}

// CreateForColumn is CreateForColumns for one column.
func CreateForColumn(ctx context.Context, s *session.Session, t *workspace.Table, d *ddlstmt.ColumnDefinition, taken namespace.Names) (*workspace.Sequence, error) {
	c := t.Column(d.Name)
	q := &workspace.Sequence{
		Schema: t.Schema, Owner: workspace.Owner{Table: t.Name, Column: c.Number, Identity: d.Identity != 0},
	}
	var err error
	if q.Role, q.Grants, err = namespace.NewRights(ctx, s, t.Schema, ddlstmt.OnSequence); err != nil {
		return nil, err
	}
	if has := s.Tables.Table(t.Schema, t.Name); has != nil { // whoever adds the column
		o := access.OfSequence(q).Given(has.Owner)
		q.Role, q.Grants = o.Owner, o.Grants
	}
	if err := checkGivenName(s, t, d.Sequence.Name, taken); err != nil {
		return nil, err
	}
	for q.Name == "" {
		name := ""
		if given := d.Sequence.Name; given != nil {
			name = given.Name
		} else {
			name = namespace.ChooseName(t.Name, []string{c.Name, "seq"}, taken.HasRelation)
		}
		if err := namespace.LockName(ctx, s, t.Schema, name); err != nil {
			return nil, err
		}
		taken.Take(name)
		switch {
		case !namespace.NamesIn(s.Tables.Of(t.Schema), t.Schema).HasRelation(name): // nobody has taken it meanwhile
			q.Name = name
		case d.Sequence.Name != nil:
			return nil, nameTaken(name)
		}
	}
	options := *d.Sequence
	if options.Type == nil {
		options.Type = &c.Type
	}
	if err := SetOptions(q, &options, StateMaker(ctx, s, q)); err != nil {
		return nil, err
	}
	c.Default, c.Identity = nextvalOf(q), d.Identity
	return q, nil
}

// checkGivenName checks the name that SEQUENCE NAME gives the sequence of a column: it is in
// the schema of the table.
func checkGivenName(s *session.Session, t *workspace.Table, given *syntax.Ref, taken namespace.Names) error {
	switch {
	case given == nil:
		return nil
	case given.Schema == "", given.Schema == t.Schema:
		if taken.HasRelation(given.Name) {
			return nameTaken(given.Name)
		}
		return nil
	case given.Schema != workspace.TempSchema && !s.Resolver().HasSchema(given.Schema):
		return sqlstate.UndefinedSchema(given.Schema)
	case t.Schema == workspace.TempSchema:
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema")
	}
	return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", given.Schema+"."+t.Name) // PostgreSQL's error, its owner is looked up there
}

func nameTaken(name string) error {
	return pgerr.New(pgerr.DuplicateTable, "relation %q already exists", name)
}

// DropOwned drops the sequences of a table, or those of one of its columns.
func DropOwned(s *session.Session, t *workspace.Table, column int) {
	for _, q := range s.Tables.Of(t.Schema).Owned(t, column) {
		s.Tables.RemoveSequence(q)
	}
}

// MoveOwned gives the sequences of a table that gets another name or schema their owner's
// name, and their schema.
func MoveOwned(ctx context.Context, s *session.Session, t, moved *workspace.Table) error {
	for _, q := range s.Tables.Of(t.Schema).Owned(t, 0) {
		next := *q
		next.Owner.Table, next.Schema = moved.Name, moved.Schema
		if err := replace(ctx, s, q, &next); err != nil {
			return err
		}
	}
	return nil
}

// RestartOwned is TRUNCATE ... RESTART IDENTITY.
func RestartOwned(ctx context.Context, s *session.Session, t *workspace.Table) (err error) {
	for _, q := range s.Tables.Of(t.Schema).Owned(t, 0) {
		if err := namespace.Lock(ctx, s, &workspace.Table{Schema: q.Schema, Name: q.Name}, database.AccessExclusive); err != nil {
			return err
		}
		next := *q
		if next.State, err = StateMaker(ctx, s, q)(q.Start, false); err != nil {
			return err
		}
		s.Tables.PutSequence(&next)
	}
	return nil
}
