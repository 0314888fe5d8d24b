package access

import (
	"slices"

	"github.com/ontosql/ontosql/acl"

	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/workspace"
)

// Check is the error of the first demand of a statement that the role may not have. schema finds a schema
// of the workspace, nil for another one: those of the ontology everybody may use. The relations that the
// query of a view names were found when it was created.
func (r Role) Check(demands []planner.Demand, schema func(name string) *workspace.Schema) error {
	for _, d := range demands {
		if d.Action != "" || d.By != nil {
			continue
		}
		if of := schema(d.Relation.Shape.Schema); of != nil && !r.May(acl.Usage, OfSchema(of, of.Name), nil) {
			return OfSchema(of, of.Name).Denied().At(d.Relation.Ref.Position)
		}
	}
	for _, d := range demands {
		if d.Action != "" {
			if err := r.CheckAction(d.Action); err != nil {
				return err
			}
			continue
		}
		o, free := objectOf(d.Relation)
		if free {
			continue
		}
		who := r
		if d.By != nil && !d.By.ReadsAsInvoker() {
			who = r.As(d.By.Owner)
		}
		if !who.May(d.Privilege, o, d.Columns) {
			return o.Denied()
		}
	}
	return nil
}

// eventActions are the actions that send and handle events. Who may write all data may call them; the
// others are for owners of the database.
var eventActions = []string{"enqueue", "claim", "ack", "release", "extend", "replay"}

// nameActions are the actions that reach other databases of the gateway, by the name service.
var nameActions = []string{"branches", "branch_diff", "merge", "ns_create", "ns_push", "ns_retract", "ns_lock", "ns_unlock", "ns_changed_since"}

// CheckAcross is Check for a database that requires no grants: others of the gateway may.
func (r Role) CheckAcross(demands []planner.Demand) error {
	for _, d := range demands {
		if slices.Contains(nameActions, d.Action) && r.Roles.Administered() {
			if err := r.CheckAction(d.Action); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckAction is the error of an action, or ontosql.enqueue, that the role may not call.
func (r Role) CheckAction(name string) error {
	if r.Owns("") || slices.Contains(eventActions, name) && r.Roles.Has(r.Name, "pg_write_all_data") {
		return nil
	}
	return Object{Kind: "function", Name: name}.Denied()
}

// objectOf is the object that a relation is. Those of pg_catalog and information_schema are free, those
// of ontosql if they show nothing of what rows and events have, and temporary ones, which only their
// session sees.
func objectOf(r *relation.Relation) (o Object, free bool) {
	switch {
	case r.Shape.Schema == workspace.TempSchema:
	case r.Type != nil:
		return OfType(r.Type, r.Shape.Schema), false
	case r.Stored != nil:
		return OfTable(r.Stored), false
	case r.Sequence != nil:
		return OfSequence(r.Sequence), false
	case r.View != nil:
		return OfView(r.View), false
	case r.Virtual != nil && r.Virtual.ShowsData:
		return Object{Kind: "table", Name: r.Virtual.Name, All: TableLetters}, false
	}
	return Object{}, true
}
