package access

import (
	"slices"

	"github.com/ontosql/ontosql/acl"

	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/workspace"
)

// Declared is what a check knows of privileges beside those of the relations that a statement names.
type Declared struct {
	// Schema finds a schema of the workspace, nil for another one: those of the ontology everybody may use.
	Schema func(name string) *workspace.Schema
	Events acl.Grants // those on the event bus
}

// Check is the error of the first demand of a statement that the role may not have. The relations that the
// query of a view names were found when it was created.
func (r Role) Check(demands []planner.Demand, of Declared) error {
	for _, d := range demands {
		if d.Action != "" || d.By != nil {
			continue
		}
		if s := of.Schema(d.Relation.Shape.Schema); s != nil && !r.May(acl.Usage, OfSchema(s, s.Name), nil) {
			return OfSchema(s, s.Name).Denied().At(d.Relation.Ref.Position)
		}
	}
	for _, d := range demands {
		if d.Action != "" {
			if err := r.CheckAction(d.Action, of.Events); err != nil {
				return err
			}
			continue
		}
		o, free := objectOf(d.Relation, of.Events)
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

// eventActions are the privileges on the event bus that its functions need.
var eventActions = map[string]string{
	"enqueue": acl.Insert, "replay": acl.Insert,
	"claim": acl.Update, "ack": acl.Update, "release": acl.Update, "extend": acl.Update,
	"cleanup_events": acl.Delete,
}

// nameActions are the actions that reach other databases of the gateway, by the name service.
var nameActions = []string{"branches", "branch_diff", "merge", "ns_create", "ns_push", "ns_retract", "ns_lock", "ns_unlock", "ns_changed_since"}

// CheckAcross is Check for a database that requires no grants: others of the gateway may.
func (r Role) CheckAcross(demands []planner.Demand) error {
	for _, d := range demands {
		if slices.Contains(nameActions, d.Action) && r.Roles.Administered() {
			if err := r.CheckAction(d.Action, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckAction is the error of an action, or ontosql.enqueue, that the role may not call: those of the event
// bus need a privilege on it, the others are for owners of the database.
func (r Role) CheckAction(name string, events acl.Grants) error {
	if privilege, ok := eventActions[name]; ok {
		if o := OfEvents(events, EventsTable); !r.May(privilege, o, nil) {
			return o.Denied()
		}
		return nil
	}
	if r.Owns("") {
		return nil
	}
	return Object{Kind: "function", Name: name}.Denied()
}

// objectOf is the object that a relation is. Those of pg_catalog and information_schema are free, those
// of ontosql if they show nothing of what rows and events have, and temporary ones, which only their
// session sees.
func objectOf(r *relation.Relation, events acl.Grants) (o Object, free bool) {
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
	case r.Virtual != nil && r.Virtual.Shows == introspect.Events:
		return OfEvents(events, r.Virtual.Name), false
	case r.Virtual != nil && r.Virtual.Shows == introspect.Rows:
		return Object{Kind: "table", Name: r.Virtual.Name, All: TableLetters}, false
	}
	return Object{}, true
}
