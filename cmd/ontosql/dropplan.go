package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

// dropPlan is the original's plan of a drop (COMPAT 7).
type dropPlan struct {
	Target        typeName         `json:"target"`
	Affected      []typeName       `json:"affected_types"`
	Rows          map[string]int64 `json:"row_counts"`
	PurgeRequired bool             `json:"purge_history_required"`
	Purge         bool             `json:"purge_history"`
	Token         string           `json:"token"`

	types []ontosql.TypeRef // relation types by name, then the target
	head  ontosql.CommitID
}

// planDrop works out what goes with a type. It is a dropSafetyError where that is
// more than the options say.
func (p *program) planDrop(ctx context.Context, g *openedGateway, pin *resolver.Pin, o dropOptions) (*dropPlan, error) {
	types, err := affected(pin.Catalog, o)
	if err != nil {
		return nil, err
	}
	plan := &dropPlan{
		Target: nameOf(o.target), Rows: map[string]int64{}, Purge: o.purge, head: pin.Head.Commit,
	}
	state := pin.Catalog.State(pin.Head.UpdatedAt, "")
	versions := map[ontosql.TypeRef]int64{}
	err = p.overPipe(ctx, g, fmt.Sprint(int64(plan.head)), func(conn *pgconn.PgConn) error {
		for _, t := range types {
			plan.types = append(plan.types, t.Ref)
			plan.Affected = append(plan.Affected, nameOf(t.Ref))
			versions[t.Ref] = state.Version(t.Ref)
			rows, err := countAt(ctx, conn, pin, t)
			if err != nil {
				return err
			}
			plan.Rows[t.Ref.Name], plan.PurgeRequired = rows, plan.PurgeRequired || rows > 0
		}
		return nil
	})
	if err != nil {
		return nil, &executionError{refused(err)}
	}
	if plan.PurgeRequired && !o.purge {
		return nil, &dropSafetyError{fmt.Errorf("types with existing rows: %s; --purge-history drops them all the same", strings.Join(plan.withRows(), ", "))}
	}
	plan.Token = migration.DropToken(versions, plan.head, o.purge)
	return plan, nil
}

// withRows are the names of the types that have rows.
func (plan *dropPlan) withRows() []string {
	names := slices.Sorted(maps.Keys(plan.Rows))
	return slices.DeleteFunc(names, func(name string) bool { return plan.Rows[name] == 0 })
}

// affected are the types that are dropped: relation types first, since they name the target.
func affected(c *catalog.Catalog, o dropOptions) ([]*catalog.Type, error) {
	target, ok := c.Type(o.target)
	if !ok {
		return nil, usagef("there is no %s %q", o.target.Kind, o.target.Name)
	}
	var types []*catalog.Type
	var undeclared []string
	for _, t := range c.Types {
		switch linked := t.Left == o.target.Name || t.Right == o.target.Name; {
		case o.target.Kind != ontosql.Entity || t.Ref.Kind != ontosql.Relation:
		case o.cascade && linked || slices.Contains(o.relations, t.Ref.Name):
			types = append(types, t)
		case linked:
			undeclared = append(undeclared, t.Ref.Name)
		}
	}
	for _, name := range o.relations {
		if !slices.ContainsFunc(types, func(t *catalog.Type) bool { return t.Ref.Name == name }) {
			return nil, usagef("there is no relation %q", name)
		}
	}
	if len(undeclared) > 0 {
		return nil, &dropSafetyError{fmt.Errorf("relation types link entity %q: %s; --drop-relation or --cascade-relations drops them as well", o.target.Name, strings.Join(undeclared, ", "))}
	}
	return append(types, target), nil
}

// metadata is what the original says of the commit of a drop.
func (plan *dropPlan) metadata(o dropOptions) map[string]string {
	items := make([]format.Value, len(plan.Affected))
	for i, t := range plan.Affected {
		items[i] = format.Object(
			format.Member{Name: "kind", Value: format.String(t.Kind)},
			format.Member{Name: "type_name", Value: format.String(t.Name)},
		)
	}
	metadata := map[string]string{
		"operation": "schema_drop", "target_kind": plan.Target.Kind, "target_type": plan.Target.Name,
		"affected_types": string(format.Array(items...).Append(nil, format.Spaced)),
	}
	maps.Copy(metadata, o.meta)
	return metadata
}
