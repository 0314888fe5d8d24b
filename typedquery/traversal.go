package typedquery

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// Traversal follows relations from the newest rows of an entity type.
type Traversal struct {
	Source  *Target
	Filters []Filter // of the source
	Hops    []Hop
	// Reached asks for the entities at the end of each relation instead of paths.
	Reached bool
}

// Hop is one step of a traversal.
type Hop struct {
	Relation *Target
	Entity   *Target // the type that the step leads to, nil where it is missing
	near     catalog.Role
	far      catalog.Role
}

// NewHop is the step over a relation type from an entity type: from left to right if it is on the
// left, else from right to left. to is the type that it leads to.
func NewHop(relation *Target, from string) (hop Hop, to string, err error) {
	t := relation.Type
	switch from {
	case t.Left:
		return Hop{Relation: relation, near: catalog.FromLeftKey, far: catalog.FromRightKey}, t.Right, nil
	case t.Right:
		return Hop{Relation: relation, near: catalog.FromRightKey, far: catalog.FromLeftKey}, t.Left, nil
	}
	return hop, "", fmt.Errorf("relation %q links %q and %q, not %q", t.Ref.Name, t.Left, t.Right, from)
}

// SQL is a statement with the columns source, a key; hop; and a document. The rows of a source
// follow each other. Those of hop 0 are of Source, and those of hop n of the Relation of Hops[n-1],
// or with Reached of its Entity.
//
// A hop starts from every entity that the one before it reached, once; so a path has each relation
// of a hop once.
func (q *Traversal) SQL(c *catalog.Catalog) (string, error) {
	where, err := conditions(c, q.Source.Type, Window{}, q.Filters)
	if err != nil {
		return "", err
	}
	table := func(t *catalog.Type) string { return "public." + str.QuoteIdent(t.Table) + " " + rowName }
	with := []string{"h0 AS (SELECT t.entity_key AS source, " + key(rowName, q.Source.Type, catalog.FromEntityKey) + " AS far, " +
		q.Source.columns() + " FROM " + table(q.Source.Type) + where + ")"}
	var parts []string
	if !q.Reached {
		parts = append(parts, "SELECT source, 0 AS hop, '' AS l, '' AS r, '' AS i, to_json(h0) AS d FROM h0")
	}
	for i, hop := range q.Hops {
		name, before, t := "h"+strconv.Itoa(i+1), "h"+strconv.Itoa(i), hop.Relation.Type
		with = append(with, name+" AS (SELECT b.source, "+key(rowName, t, hop.far)+" AS far, "+hop.Relation.columns()+
			" FROM (SELECT DISTINCT source, far FROM "+before+") b JOIN "+table(t)+" ON "+key(rowName, t, hop.near)+" = b.far)")
		number := strconv.Itoa(i+1) + " AS hop"
		switch {
		case !q.Reached:
			parts = append(parts, "SELECT source, "+number+", l, r, i, to_json("+name+") FROM "+name)
		case hop.Entity != nil:
			parts = append(parts, "SELECT source, "+number+", l, r, i, to_json(e) AS d FROM "+name+" JOIN (SELECT "+key(rowName, hop.Entity.Type, catalog.FromEntityKey)+" AS near, "+
				hop.Entity.columns()+" FROM "+table(hop.Entity.Type)+") e ON e.near = "+name+".far")
		}
	}
	if len(parts) == 0 {
		return "SELECT NULL, NULL, NULL WHERE false", nil
	}
	return "WITH " + strings.Join(with, ", ") + " SELECT source, hop, d FROM (" + strings.Join(parts, " UNION ALL ") + ") p ORDER BY source, hop, l, r, i", nil
}

// EntityRef names an entity type.
func EntityRef(name string) ontosql.TypeRef { return ontosql.TypeRef{Kind: ontosql.Entity, Name: name} }
