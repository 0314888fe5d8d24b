package tables

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// CreateIndex executes CREATE INDEX on an ordinary table. ours is false if the statement names
// none.
func CreateIndex(ctx context.Context, s *session.Session, st *syntax.Statement, by InUse) (ours bool, err error) {
	t, err := namespace.FindLocked(ctx, s, *st.Target, database.Share)
	if err != nil {
		return false, err
	}
	if t == nil {
		if v, err := namespace.FindView(ctx, s, *st.Target); v != nil || err != nil {
			if err == nil {
				err = pgerr.New(pgerr.WrongObjectType, "cannot create index on relation %q", v.Name).WithDetail("This operation is not supported for views.")
			}
			return true, err
		}
		if q := sequences.Find(s, *st.Target); q != nil {
			return true, pgerr.New(pgerr.WrongObjectType, "cannot create index on relation %q", q.Name).WithDetail("This operation is not supported for sequences.")
		}
		return false, exist(ctx, s, []syntax.Ref{*st.Target})
	}
	if err := namespace.CheckChange(ctx, s, st.Tag, t.Schema, access.OfTable(t)); err != nil {
		return true, err
	}
	if err := checkNotInUse([]*workspace.Table{t}, by, "CREATE INDEX"); err != nil {
		return true, err
	}
	def, err := ddlstmt.ParseIndex(st, relation.StoredShape(t), s.NewEnv())
	if err != nil {
		return true, err
	}
	if def.Concurrently && s.Tx.Block() {
		return true, pgerr.New(pgerr.ActiveSQLTransaction, "CREATE INDEX CONCURRENTLY cannot run inside a transaction block")
	}
	if def.Name != "" {
		if err := namespace.LockName(ctx, s, t.Schema, def.Name); err != nil {
			return true, err
		}
		if namespace.NamesIn(s.Tables.Of(t.Schema), t.Schema).HasRelation(def.Name) {
			if def.IfNotExists {
				s.Notice(sqlstate.Skipped(pgerr.DuplicateTable, "relation %q already exists, skipping", def.Name))
				return true, nil
			}
			return true, pgerr.New(pgerr.DuplicateTable, "relation %q already exists", def.Name)
		}
	}
	x, err := newIndex(t, def)
	if err != nil {
		return true, err
	}
	for x.Name == "" {
		taken := namespace.NamesIn(s.Tables.Of(t.Schema), t.Schema)
		name := namespace.ChooseName(t.Name, append(indexColumns(t, &x), "idx"), func(name string) bool { return taken.HasRelation(name) || taken.HasConstraint(name) })
		if err := namespace.LockName(ctx, s, t.Schema, name); err != nil {
			return true, err
		}
		if !namespace.NamesIn(s.Tables.Of(t.Schema), t.Schema).HasRelation(name) { // nobody has taken it meanwhile
			x.Name = name
		}
	}
	next := *t
	next.Indexes = append(slices.Clone(t.Indexes), x)
	if x.Unique {
		conn, err := s.FreeConn(ctx)
		if err != nil {
			return true, err
		}
		keys := next.Keys()
		if err := modify.VerifyUnique(ctx, s, conn, &next, &keys[len(keys)-1], t.Heap.Source(s.Tables.Newest(), []string{"*"})); err != nil {
			return true, err
		}
	}
	s.Tables.Put(&next)
	return true, nil
}

// newIndex is an index of a table, without a name if the statement gives none.
func newIndex(t *workspace.Table, def *ddlstmt.Index) (workspace.Index, error) {
	x := workspace.Index{
		Number: t.NextUnique(), Name: def.Name, Unique: def.Unique, Method: def.Method, Include: numbers(t, def.Include),
		Where: def.Where, WhereColumns: numbers(t, columnsNamed(t, def.WhereColumns)), Storage: def.Options,
	}
	labels := map[string]bool{}
	for _, d := range def.Keys {
		k := workspace.IndexKey{
			Text: d.Text, Columns: numbers(t, columnsNamed(t, d.Columns)), Type: d.Type, Label: d.Label, Call: d.IsCall(),
			Collation: d.Collation, Class: d.Class, Desc: d.Desc, First: d.First,
		}
		if d.Column != "" {
			k.Column = t.Column(d.Column).Number
		}
		if err := checkClass(def.Method, &k); err != nil {
			return x, err
		}
		if k.Label == "" {
			k.Label = "expr"
		}
		label := k.Label
		for n := 1; labels[k.Label]; n++ {
			k.Label = fmt.Sprintf("%s%d", label, n)
		}
		labels[k.Label] = true
		x.Keys = append(x.Keys, k)
	}
	for _, c := range t.Columns { // the name of the table may change
		if err := renameInIndex(&x, c.Number, c.Name, c.Name); err != nil {
			return x, err
		}
	}
	return x, nil
}

// checkClass checks the operator class of a part of a key.
func checkClass(method string, k *workspace.IndexKey) error {
	switch {
	case k.Class != "" && !pgcatalog.HasOperatorClass(method, k.Class):
		return pgerr.New(pgerr.UndefinedObject, "operator class %q does not exist for access method %q", k.Class, method)
	case k.Class == "" && pgcatalog.DefaultOperatorClass(method, k.Type.OID) == 0:
		return noDefaultClass(k.Type, method)
	}
	return nil
}

// indexColumns are the names of the columns of an index, of which PostgreSQL makes its name.
func indexColumns(t *workspace.Table, x *workspace.Index) []string {
	var names []string
	for _, k := range x.Keys {
		names = append(names, k.Label)
	}
	for _, number := range x.Include {
		names = append(names, t.Numbered(number).Name)
	}
	return names
}

// lockIndex is namespace.FindIndex for a statement that changes the index: it locks the table.
func lockIndex(ctx context.Context, s *session.Session, st *syntax.Statement, ref syntax.Ref) (t *workspace.Table, at int, err error) {
	if t, _ = namespace.FindIndex(s, ref); t == nil {
		return nil, 0, nil
	}
	if err := namespace.Lock(ctx, s, t, database.AccessExclusive); err != nil {
		return nil, 0, err
	}
	if t, at = namespace.FindIndex(s, ref); t == nil {
		return nil, 0, nil
	}
	return t, at, namespace.CheckChange(ctx, s, st.Tag, t.Schema, access.OfTable(t))
}

// dropIndexes executes DROP INDEX of indexes of ordinary tables. ours is false if it names
// none.
func dropIndexes(ctx context.Context, s *session.Session, st *syntax.Statement, drops *ddlstmt.Drops) (ours bool, err error) {
	if !slices.ContainsFunc(drops.Names, func(ref syntax.Ref) bool {
		t, _ := namespace.FindIndex(s, ref)
		return t != nil || namespace.MayName(s, ref)
	}) && !s.Tables.Wrote() {
		return false, nil
	}
	for _, ref := range drops.Names {
		t, at, err := lockIndex(ctx, s, st, ref)
		if t == nil && err == nil {
			err = notIndex(ctx, s, ref)
		}
		switch {
		case err != nil:
			return true, err
		case t == nil && drops.IfExists:
			s.Notice(sqlstate.Notice("index %q does not exist, skipping", ref.Name))
		case t == nil:
			return true, pgerr.New(pgerr.UndefinedObject, "index %q does not exist", ref.Name)
		case at < 0:
			of := namespace.NewDependents(s)
			index, table := of.Shown(t.Schema, ref.Name), of.Shown(t.Schema, t.Name)
			return true, pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it", index, namespace.QuotedName("", ref.Name), table).
				WithHint("You can drop constraint %s on table %s instead.", namespace.QuotedName("", ref.Name), table)
		default:
			if err := dropIndexReferences(ctx, s, t, t.Indexes[at].Name, drops.Cascade); err != nil {
				return true, err
			}
			next := *t
			next.Indexes = slices.Delete(slices.Clone(t.Indexes), at, at+1)
			s.Tables.Put(&next)
		}
	}
	return true, nil
}

// notIndex is the error of a table or view that DROP INDEX names.
func notIndex(ctx context.Context, s *session.Session, ref syntax.Ref) error {
	r, err := namespace.Resolve(ctx, s, ref)
	kind := ""
	switch {
	case err != nil:
		return err
	case r.View != nil:
		kind = "view"
	case r.Stored != nil:
		kind = "table"
	default:
		return nil
	}
	return pgerr.New(pgerr.WrongObjectType, "%q is not an index", ref.Name).WithHint("Use DROP %s to remove a %s.", strings.ToUpper(kind), kind)
}

// noDefaultClass is PostgreSQL's error of an index on a type that has no order.
func noDefaultClass(t types.Type, method string) error {
	return pgerr.New(pgerr.UndefinedObject, "data type %s has no default operator class for access method %q", t, method).
		WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
}
