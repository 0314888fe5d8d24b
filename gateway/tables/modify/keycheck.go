package modify

import (
	"context"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/workspace"
)

// keyCheck checks rows against a foreign key.
type keyCheck struct {
	session       *session.Session
	conn          *duckdb.Conn
	child, parent *workspace.Table
	key           *workspace.ForeignKey
}

// newKeyCheck is the check of a foreign key of a table. Its parent is nil if there is no such
// table.
func newKeyCheck(s *session.Session, conn *duckdb.Conn, child *workspace.Table, key *workspace.ForeignKey) *keyCheck {
	parent := child
	if !key.ReferencesTo(child) {
		parent = s.Tables.Table(key.Schema, key.Table)
	}
	return &keyCheck{s, conn, child, parent, key}
}

// id names the constraint.
func (f *keyCheck) id() workspace.ConstraintID {
	return workspace.ConstraintID{Schema: f.child.Schema, Table: f.child.Name, Name: f.key.Name}
}

// present checks that the rows of a FROM item have keys that are in the referenced table.
// columns are the names of the referencing columns in it. A key whose row another transaction
// has ended, which runs, is a conflict.
func (f *keyCheck) present(ctx context.Context, rows string, columns []string) error {
	for i, c := range columns {
		columns[i] = "new." + c
	}
	if f.key.Full && len(columns) > 1 {
		some := "(" + strings.Join(columns, " IS NULL OR ") + " IS NULL) AND (" + strings.Join(columns, " IS NOT NULL OR ") + " IS NOT NULL)"
		mixed, err := Exists(ctx, f.conn, "SELECT 1 FROM "+rows+" AS new WHERE "+some)
		if err != nil {
			return err
		}
		if mixed {
			return f.absent("MATCH FULL does not allow mixing of null and nonnull key values.")
		}
	}
	now := f.session.Tables.Newest()
	same := workspace.Equal(workspace.ColumnNames("p.", f.key.References), columns)
	missing := rows + " AS new ANTI JOIN (" + f.parent.Heap.Live(now) + ") AS p ON " + same
	where := " WHERE " + NotNull(columns)
	ending := f.parent.Heap.Ending(now)
	if ending != "" { // it may be rolled back
		found, err := Exists(ctx, f.conn, "SELECT 1 FROM "+missing+where)
		if err != nil || !found {
			return err
		}
		if err := f.meetsEnding(ctx, "SELECT * FROM "+missing+where, ending, same, columns); err != nil {
			return err
		}
		missing = "(SELECT * FROM " + missing + where + ") AS new ANTI JOIN (" + ending + ") AS p ON " + same
	}
	text, found := "", false
	err := f.conn.Each(ctx, "SELECT "+f.text(f.child, f.key.Columns, columns)+" FROM "+missing+where+" LIMIT 1", nil, func(b *column.Batch, i int) {
		text, found = string(b.Cols[0].Str[i]), true
	})
	if err != nil || !found {
		return err
	}
	return f.absent("Key (%s)=(%s) is not present in table %q.", namesText(f.child, f.key.Columns), text, f.parent.Name)
}

// meetsEnding returns a conflict if another transaction, which runs, has ended a row with the
// key of one of the rows of a query and has not put another one with the same key in its place.
func (f *keyCheck) meetsEnding(ctx context.Context, rows, ending, same string, columns []string) error {
	replaced := f.parent.Heap.ReplacedBy("p", "n", workspace.Equal(workspace.ColumnNames("n.", f.key.References), workspace.ColumnNames("p.", f.key.References)))
	var met error
	err := f.conn.Each(ctx, "SELECT "+workspace.EndedIn("p")+" FROM ("+rows+") AS new JOIN ("+ending+") AS p ON "+same+" WHERE NOT "+replaced+" LIMIT 1", nil, func(b *column.Batch, i int) {
		met = &conflict{workspace.XID(b.Cols[0].I64[i])}
	})
	if err != nil {
		return err
	}
	return met
}

// absent is the error of a row whose key is not in the referenced table.
func (f *keyCheck) absent(detail string, args ...any) error {
	e := pgerr.New(pgerr.ForeignKeyViolation, "insert or update on table %q violates foreign key constraint %q", f.child.Name, f.key.Name).WithDetail(detail, args...)
	e.Schema, e.Table, e.Constraint = f.child.Schema, f.child.Name, f.key.Name
	return e
}

// unused checks that no row references a key of a query, whose columns are k0, k1 and so on. A
// row of a running transaction is a conflict.
func (f *keyCheck) unused(ctx context.Context, keys string) error {
	now := f.session.Tables.Newest()
	gone := keyNames("g.", len(f.key.Columns))
	text, found, made, ended := "", false, workspace.XID(0), workspace.XID(0)
	err := f.conn.Each(ctx, "SELECT "+f.text(f.parent, f.key.References, gone)+", "+strings.Join(workspace.Times("c."), ", ")+" FROM ("+keys+") AS g JOIN ("+f.child.Heap.Latest(now)+") AS c ON "+
		workspace.Equal(workspace.ColumnNames("c.", f.key.Columns), gone)+" WHERE "+workspace.NotMadeBy("c", f.session.Tables.Unchecked(f.id()))+" LIMIT 1", nil, func(b *column.Batch, i int) {
		text, found = string(b.Cols[0].Str[i]), true
		made, ended = workspace.XID(b.Cols[1].I64[i]), workspace.XID(b.Cols[2].I64[i])
	})
	switch {
	case err != nil || !found:
		return err
	case slices.Contains(now.Running, made):
		return &conflict{made}
	case ended != 0:
		return &conflict{ended}
	}
	e := pgerr.New(pgerr.ForeignKeyViolation, "update or delete on table %q violates foreign key constraint %q on table %q", f.parent.Name, f.key.Name, f.child.Name).
		WithDetail("Key (%s)=(%s) is still referenced from table %q.", namesText(f.parent, f.key.References), text, f.child.Name)
	e.Schema, e.Table, e.Constraint = f.child.Schema, f.child.Name, f.key.Name
	return e
}

// absentKeys is the query of the keys of another one that no row of the referenced table has.
func (f *keyCheck) absentKeys(keys string) string {
	same := workspace.Equal(workspace.ColumnNames("p.", f.key.References), keyNames("g.", len(f.key.Columns)))
	return "SELECT g.* FROM (" + keys + ") AS g ANTI JOIN (" + f.parent.Heap.Live(f.session.Tables.Newest()) + ") AS p ON " + same
}

// transaction checks all that the transaction has written, for a constraint that is checked
// after its statements.
func (f *keyCheck) transaction(ctx context.Context) error {
	ids := f.session.Tables.IDs()
	f.session.Tables.Checks(f.id())
	if err := f.present(ctx, "("+f.child.Heap.Made(ids)+")", workspace.ColumnNames("", f.key.Columns)); err != nil {
		f.session.Tables.AwaitRows(f.id()) // it may wait, and look again
		return err
	}
	var items []string
	old := workspace.ColumnNames("old.", f.key.References)
	for i, name := range old {
		items = append(items, name+" AS "+keyName(i))
	}
	return f.unused(ctx, f.absentKeys("SELECT DISTINCT "+strings.Join(items, ", ")+" FROM ("+f.parent.Heap.Gone(ids)+") AS old WHERE "+NotNull(old)))
}

// text is the text of a key in PostgreSQL's errors.
func (f *keyCheck) text(t *workspace.Table, numbers []int, values []string) string {
	var parts []string
	for i, v := range values {
		parts = append(parts, scope.Expr{SQL: v, Type: t.Numbered(numbers[i]).Type}.Output())
	}
	return enginesql.InDefaultStyle(strings.Join(parts, " || ', ' || "))
}

// CheckForeignKey checks that the rows of a FROM item, which has the columns of the child's heap, have
// keys that are in the referenced table.
func CheckForeignKey(ctx context.Context, s *session.Session, conn *duckdb.Conn, r workspace.Reference, parent *workspace.Table, rows string) error {
	f := &keyCheck{s, conn, r.Table, parent, r.Key}
	return f.present(ctx, rows, workspace.ColumnNames("", r.Key.Columns))
}

// namesText are the names of columns in PostgreSQL's errors.
func namesText(t *workspace.Table, numbers []int) string {
	var out []string
	for _, number := range numbers {
		out = append(out, str.QuoteIdent(t.Numbered(number).Name))
	}
	return strings.Join(out, ", ")
}
