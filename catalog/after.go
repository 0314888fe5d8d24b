package catalog

import (
	"reflect"

	"github.com/ontosql/ontosql/acl"
)

// After tells a catalog which one came before it: a type that is as it was there is the
// same *Type, and where all are, a statement sees no difference, and the version stays.
// The objects that a catalog is built of change without: a change of the schema is
// projected behind the commit that made it.
func (c *Catalog) After(earlier *Catalog) {
	kept := map[*Type]*Type{}
	for i, t := range c.Types {
		if had, ok := earlier.Type(t.Ref); ok && had.same(t) {
			kept[t], c.Types[i] = had, had
		}
	}
	for name, t := range c.byName {
		if had := kept[t]; had != nil {
			c.byName[name] = had
		}
	}
	if len(kept) == len(c.Types) && len(c.Types) == len(earlier.Types) && c.RequireGrants == earlier.RequireGrants &&
		acl.Same(c.EventGrants, earlier.EventGrants) {
		c.Version = earlier.Version
	}
}

// same reports whether two types are alike in everything that is known of them.
func (t *Type) same(o *Type) bool {
	a, b := *t, *o
	a.earlier, b.earlier = nil, nil // follow from the versions
	return reflect.DeepEqual(&a, &b)
}
