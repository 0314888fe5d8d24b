package namespace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// Names are the names in a schema that are taken: those of objects, and those that a statement
// has given since.
type Names struct {
	objects                *workspace.Objects
	schema                 string
	relations, constraints map[string]bool
}

// NamesIn are the names of the relations and constraints of a schema.
func NamesIn(o *workspace.Objects, schema string) Names {
	return Names{o, schema, map[string]bool{}, map[string]bool{}}
}

// NamesWith are NamesIn the schema of a table, with those of the table, which is being defined.
func NamesWith(o *workspace.Objects, t *workspace.Table) Names {
	if o.Table(t.Schema, t.Name) != nil || len(t.Constraints())+len(t.Indexes)+len(t.Checks)+len(t.ForeignKeys) > 0 {
		return NamesIn(o.With(t), t.Schema)
	}
	n := NamesIn(o, t.Schema)
	n.relations[t.Name] = true
	return n
}

// HasRelation reports whether a relation has a name.
func (n Names) HasRelation(name string) bool {
	return n.relations[name] || n.objects.RelationTaken(n.schema, name)
}

// Take notes that a statement gives a relation a name.
func (n Names) Take(name string) { n.relations[name] = true }

// HasConstraint reports whether a constraint has a name.
func (n Names) HasConstraint(name string) bool {
	return n.constraints[name] || n.objects.ConstraintTaken(n.schema, name)
}

// Key is the name of a PRIMARY KEY or UNIQUE constraint of a table: the given one, or for ""
// PostgreSQL's (ChooseIndexName).
func (n Names) Key(t *workspace.Table, given string, parts ...string) (string, error) {
	switch {
	case given == "":
		given = ChooseName(t.Name, parts, func(name string) bool { return n.HasRelation(name) || n.HasConstraint(name) })
	case n.HasRelation(given):
		return "", pgerr.New(pgerr.DuplicateTable, "relation %q already exists", given)
	case HasConstraint(t, given):
		return "", DuplicateConstraint(t, given)
	}
	n.relations[given], n.constraints[given] = true, true
	return given, nil
}

// Check is the name of a CHECK constraint of a table: the given one, or for "" PostgreSQL's
// (ChooseConstraintName).
func (n Names) Check(t *workspace.Table, given string, parts ...string) (string, error) {
	switch {
	case given == "":
		given = ChooseName(t.Name, parts, n.HasConstraint)
	case HasConstraint(t, given):
		return "", DuplicateConstraint(t, given)
	}
	n.constraints[given] = true
	return given, nil
}

// HasConstraint reports whether a table has a constraint of a name.
func HasConstraint(t *workspace.Table, name string) bool {
	return slices.ContainsFunc(t.Constraints(), func(u workspace.Unique) bool { return u.Name == name }) ||
		slices.ContainsFunc(t.Checks, func(c workspace.Check) bool { return c.Name == name }) || ForeignKey(t, name) != nil
}

// ForeignKey finds a foreign key of a table, nil for none.
func ForeignKey(t *workspace.Table, name string) *workspace.ForeignKey {
	i := slices.IndexFunc(t.ForeignKeys, func(k workspace.ForeignKey) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &t.ForeignKeys[i]
}

// DuplicateConstraint is the error of a name that another constraint of the table has.
func DuplicateConstraint(t *workspace.Table, name string) error {
	return pgerr.New(pgerr.DuplicateObject, "constraint %q for relation %q already exists", name, t.Name)
}

// ChooseName is a name of a table's name, those of columns and a label, which are the parts,
// with a number if the name is taken (PostgreSQL's ChooseRelationName).
func ChooseName(table string, parts []string, taken func(string) bool) string {
	columns, label := strings.Join(parts[:len(parts)-1], "_"), parts[len(parts)-1]
	name := pgcatalog.GeneratedName(table, columns, label)
	for n := 1; taken(name); n++ {
		name = pgcatalog.GeneratedName(table, columns, label+strconv.Itoa(n))
	}
	return name
}
