package tables

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// names are the names in a schema that are taken: those of objects, and those that a statement
// has given since.
type names struct {
	objects                *workspace.Objects
	schema                 string
	relations, constraints map[string]bool
}

// namesIn are the names of the relations and constraints of a schema.
func namesIn(o *workspace.Objects, schema string) names {
	return names{o, schema, map[string]bool{}, map[string]bool{}}
}

// namesWith are namesIn the schema of a table, with those of the table, which is being defined.
func namesWith(o *workspace.Objects, t *workspace.Table) names {
	if o.Table(t.Schema, t.Name) != nil || len(t.Constraints())+len(t.Indexes)+len(t.Checks)+len(t.ForeignKeys) > 0 {
		return namesIn(o.With(t), t.Schema)
	}
	n := namesIn(o, t.Schema)
	n.relations[t.Name] = true
	return n
}

// relation reports whether a relation has a name.
func (n names) relation(name string) bool {
	return n.relations[name] || n.objects.RelationTaken(n.schema, name)
}

// constraint reports whether a constraint has a name.
func (n names) constraint(name string) bool {
	return n.constraints[name] || n.objects.ConstraintTaken(n.schema, name)
}

// key is the name of a PRIMARY KEY or UNIQUE constraint of a table: the given one, or for ""
// PostgreSQL's (ChooseIndexName).
func (n names) key(t *workspace.Table, given string, parts ...string) (string, error) {
	switch {
	case given == "":
		given = chooseName(t.Name, parts, func(name string) bool { return n.relation(name) || n.constraint(name) })
	case n.relation(given):
		return "", pgerr.New(pgerr.DuplicateTable, "relation %q already exists", given)
	case hasConstraint(t, given):
		return "", duplicateConstraint(t, given)
	}
	n.relations[given], n.constraints[given] = true, true
	return given, nil
}

// check is the name of a CHECK constraint of a table: the given one, or for "" PostgreSQL's
// (ChooseConstraintName).
func (n names) check(t *workspace.Table, given string, parts ...string) (string, error) {
	switch {
	case given == "":
		given = chooseName(t.Name, parts, n.constraint)
	case hasConstraint(t, given):
		return "", duplicateConstraint(t, given)
	}
	n.constraints[given] = true
	return given, nil
}

// hasConstraint reports whether a table has a constraint of a name.
func hasConstraint(t *workspace.Table, name string) bool {
	return slices.ContainsFunc(t.Constraints(), func(u workspace.Unique) bool { return u.Name == name }) ||
		slices.ContainsFunc(t.Checks, func(c workspace.Check) bool { return c.Name == name }) || foreignKey(t, name) != nil
}

// foreignKey finds a foreign key of a table, nil for none.
func foreignKey(t *workspace.Table, name string) *workspace.ForeignKey {
	i := slices.IndexFunc(t.ForeignKeys, func(k workspace.ForeignKey) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &t.ForeignKeys[i]
}

func duplicateConstraint(t *workspace.Table, name string) error {
	return pgerr.New(pgerr.DuplicateObject, "constraint %q for relation %q already exists", name, t.Name)
}

// chooseName is a name of a table's name, those of columns and a label, which are the parts,
// with a number if the name is taken (PostgreSQL's ChooseRelationName).
func chooseName(table string, parts []string, taken func(string) bool) string {
	columns, label := strings.Join(parts[:len(parts)-1], "_"), parts[len(parts)-1]
	name := pgcatalog.GeneratedName(table, columns, label)
	for n := 1; taken(name); n++ {
		name = pgcatalog.GeneratedName(table, columns, label+strconv.Itoa(n))
	}
	return name
}
