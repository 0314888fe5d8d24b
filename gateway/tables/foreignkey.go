package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// declareForeignKeys gives a table the foreign keys of a definition, and returns those that its
// rows have to be checked for.
func declareForeignKeys(ctx context.Context, s *session.Session, t *workspace.Table, references []ddlstmt.Reference) (added []workspace.ForeignKey, err error) {
	if len(references) == 0 {
		return nil, nil
	}
	objects := s.Tables.Of(t.Schema).With(t)
	taken := namespace.NamesIn(objects, t.Schema)
	for i := range references {
		r := &references[i]
		k := workspace.ForeignKey{
			Number: objects.NextForeignKey() + i, Columns: numbers(t, r.Columns), Full: r.Full,
			OnUpdate: workspace.KeyAction(r.OnUpdate), OnDelete: workspace.KeyAction(r.OnDelete), Deferral: deferral(r.Timing), NotValid: r.NotValid,
		}
		parent, err := referenced(ctx, s, t, r.Table)
		if err != nil {
			return nil, err
		}
		k.Schema, k.Table = parent.Schema, parent.Name
		if err := referTo(&k, parent, r); err != nil {
			return nil, err
		}
		for _, name := range r.SetColumns {
			if !slices.Contains(r.Columns, name) {
				return nil, pgerr.New(pgerr.InvalidColumnReference, "column %q referenced in ON DELETE SET action must be part of foreign key", name)
			}
		}
		k.SetColumns = numbers(t, r.SetColumns)
		if err := checkGeneratedKey(t, &k); err != nil {
			return nil, err
		}
		if k.Name, err = taken.Check(t, r.Name, append(slices.Clone(r.Columns), "fkey")...); err != nil {
			return nil, err
		}
		if err := checkKeyTypes(t, parent, &k); err != nil {
			return nil, err
		}
		t.ForeignKeys = append(t.ForeignKeys, k)
		if !k.NotValid {
			added = append(added, k)
		}
	}
	return added, nil
}

// referenced is the table that a FOREIGN KEY of a table leads to.
func referenced(ctx context.Context, s *session.Session, t *workspace.Table, ref syntax.Ref) (*workspace.Table, error) {
	ref.Position = 0 // PostgreSQL gives none
	if ref.Name == t.Name && (ref.Schema == t.Schema || ref.Schema == "" && slices.Contains(s.Resolver().SearchPath(), t.Schema)) {
		return t, nil
	}
	parent, err := namespace.FindLocked(ctx, s, ref, database.ShareRowExclusive)
	if err != nil {
		return nil, err
	}
	if parent == nil {
		if v, err := namespace.FindView(ctx, s, ref); v != nil || err != nil {
			if err == nil {
				err = pgerr.New(pgerr.WrongObjectType, "referenced relation %q is not a table", v.Name)
			}
			return nil, err
		}
		if err := namespace.MustExist(ctx, s, ref); err != nil {
			return nil, err
		}
		return nil, pgerr.Unsupported("a foreign key to a table of the ontology is not supported").
			WithHint("The rows of the ontology are never removed, and each commit has its own. Leave REFERENCES out.")
	}
	temporary := t.Schema == workspace.TempSchema
	switch {
	case temporary && parent.Schema != workspace.TempSchema:
		return nil, pgerr.New(pgerr.InvalidTableDefinition, "constraints on temporary tables may reference only temporary tables")
	case !temporary && parent.Schema == workspace.TempSchema:
		return nil, pgerr.New(pgerr.InvalidTableDefinition, "constraints on permanent tables may reference only permanent tables")
	}
	if temporary {
		return parent, nil
	}
	return parent, namespace.CheckPrivilege(ctx, s, access.OfTable(parent), acl.References, 0)
}

// referTo finds the columns of the referenced table and the constraint that makes them unique.
func referTo(k *workspace.ForeignKey, parent *workspace.Table, r *ddlstmt.Reference) error {
	if len(r.TableColumns) == 0 {
		if parent.Key == nil {
			return pgerr.New(pgerr.UndefinedObject, "there is no primary key for referenced table %q", parent.Name)
		}
		if parent.Key.Deferral != workspace.NotDeferrable {
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot use a deferrable primary key for referenced table %q", parent.Name)
		}
		k.References, k.Key = parent.Key.Columns, parent.Key.Name
	} else {
		for _, name := range r.TableColumns {
			c := parent.Column(name)
			if c == nil {
				return pgerr.New(pgerr.UndefinedColumn, "column %q referenced in foreign key constraint does not exist", name)
			}
			k.References = append(k.References, c.Number)
		}
	}
	wanted := slices.Sorted(slices.Values(k.References))
	deferrable := false
	for _, u := range parent.Keys() {
		switch {
		case k.Key != "" || !slices.Equal(slices.Sorted(slices.Values(u.Columns())), wanted):
		case u.Deferral != workspace.NotDeferrable:
			deferrable = true
		default:
			k.Key = u.Name
		}
	}
	if k.Key == "" && deferrable {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot use a deferrable unique constraint for referenced table %q", parent.Name)
	}
	if k.Key == "" {
		return pgerr.New(pgerr.InvalidForeignKey, "there is no unique constraint matching given keys for referenced table %q", parent.Name)
	}
	if len(k.References) != len(k.Columns) {
		return pgerr.New(pgerr.InvalidForeignKey, "number of referencing and referenced columns for foreign key disagree")
	}
	return nil
}

// comparable are types whose values PostgreSQL compares without a cast (pg_amop).
var comparable = [][]uint32{
	{types.Int2, types.Int4, types.Int8}, {types.Float4, types.Float8}, {types.Text, types.Varchar}, {types.Date, types.Timestamp, types.TimestampTZ},
}

// checkKeyTypes returns an error if values of the referencing and the referenced columns cannot
// be compared.
func checkKeyTypes(t, parent *workspace.Table, k *workspace.ForeignKey) error {
	for i, number := range k.Columns {
		c, p := t.Numbered(number), parent.Numbered(k.References[i])
		together := slices.ContainsFunc(comparable, func(of []uint32) bool { return slices.Contains(of, c.Type.OID) && slices.Contains(of, p.Type.OID) })
		if !together && !types.Implicit(c.Type.OID, p.Type.OID) {
			return pgerr.New(pgerr.DatatypeMismatch, "foreign key constraint %q cannot be implemented", k.Name).
				WithDetail("Key columns %q and %q are of incompatible types: %s and %s.", c.Name, p.Name, types.Of(c.Type.OID), types.Of(p.Type.OID))
		}
	}
	return nil
}

// dropReferences drops the foreign keys that lead to what an ALTER TABLE drops, with CASCADE.
// Without it they are an error.
func (a *alteration) dropReferences(ctx context.Context, what, on string, cascade bool, is func(*workspace.ForeignKey) bool) error {
	d := namespace.NewDependents(a.session)
	a.ForeignKeys = slices.Clone(a.ForeignKeys)
	for _, r := range a.session.Tables.Of(a.old.Schema).ReferencesTo(a.old.Schema, a.old.Name) {
		if is(r.Key) {
			d.AddReference(r, on)
		}
	}
	if err := d.Report(what+" because other objects depend on it", cascade); err != nil {
		return err
	}
	for _, r := range d.Keys { // those of the table itself
		if r.Table.Name == a.old.Name && r.Table.Schema == a.old.Schema {
			a.ForeignKeys = slices.DeleteFunc(a.ForeignKeys, func(k workspace.ForeignKey) bool { return k.Name == r.Key.Name })
		}
	}
	d.Keys = slices.DeleteFunc(d.Keys, func(r workspace.Reference) bool { return r.Table.Name == a.old.Name && r.Table.Schema == a.old.Schema })
	return d.DropKeys(ctx)
}

// renameKey makes the foreign keys that lead to a constraint of the table lead to its new name.
func (a *alteration) renameKey(from, to string) {
	for _, r := range a.session.Tables.Of(a.old.Schema).ReferencesTo(a.old.Schema, a.old.Name) {
		if r.Key.Key != from {
			continue
		}
		renamed := func(keys []workspace.ForeignKey) []workspace.ForeignKey {
			keys = slices.Clone(keys)
			for i := range keys {
				if keys[i].Name == r.Key.Name {
					keys[i].Key = to
				}
			}
			return keys
		}
		if r.Table.Name == a.old.Name && r.Table.Schema == a.old.Schema {
			a.ForeignKeys = renamed(a.ForeignKeys)
			continue
		}
		next := *a.session.Tables.Table(r.Table.Schema, r.Table.Name)
		next.ForeignKeys = renamed(next.ForeignKeys)
		a.session.Tables.Put(&next)
	}
}

// retypeKeys checks the foreign keys of a column that gets another type, and notes that their
// rows have to be checked.
func (a *alteration) retypeKeys(number int) error {
	for i := range a.ForeignKeys {
		k := &a.ForeignKeys[i]
		self := k.ReferencesTo(a.old)
		if !slices.Contains(k.Columns, number) && !(self && slices.Contains(k.References, number)) {
			continue
		}
		parent := a.Table
		if !self {
			parent = a.session.Tables.Table(k.Schema, k.Table)
		}
		if err := checkKeyTypes(a.Table, parent, k); err != nil {
			return err
		}
		a.added.foreign = append(a.added.foreign, *k)
	}
	for _, r := range a.session.Tables.Of(a.old.Schema).ReferencesTo(a.old.Schema, a.old.Name) {
		if r.Table.Name == a.old.Name && r.Table.Schema == a.old.Schema || !slices.Contains(r.Key.References, number) {
			continue
		}
		if err := checkKeyTypes(r.Table, a.Table, r.Key); err != nil {
			return err
		}
		a.added.references = append(a.added.references, r)
	}
	return nil
}

// dropIndexReferences drops the foreign keys that need a unique index which is dropped. Without
// CASCADE they are an error.
func dropIndexReferences(ctx context.Context, s *session.Session, t *workspace.Table, index string, cascade bool) error {
	d := namespace.NewDependents(s)
	name := "index " + d.Shown(t.Schema, index)
	for _, r := range s.Tables.Of(t.Schema).ReferencesTo(t.Schema, t.Name) {
		if r.Key.Key == index {
			d.AddReference(r, name)
		}
	}
	if err := d.Report(name+" because other objects depend on it", cascade); err != nil {
		return err
	}
	return d.DropKeys(ctx)
}
