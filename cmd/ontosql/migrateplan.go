package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/resolver"
)

// errStalePlan: a change was confirmed with the token of another plan.
var errStalePlan = errors.New("the token is not that of the plan as it is now")

// errMissingUpgraders: rows cannot be migrated because an upgrader is missing.
var errMissingUpgraders = errors.New("missing upgraders")

// typeName is a type in the original's plans.
type typeName struct {
	Kind string `json:"kind"`
	Name string `json:"type_name"`
}

func nameOf(ref ontosql.TypeRef) typeName { return typeName{ref.Kind.String(), ref.Name} }

// migrationPlan is the original's plan of a migration (COMPAT 7), and what it takes
// to carry it out. new_types, declared and missing_steps are ours.
type migrationPlan struct {
	HasChanges        bool               `json:"has_changes"`
	Token             string             `json:"token"`
	Diffs             []shownDiff        `json:"diffs"`
	NewTypes          []typeName         `json:"new_types,omitempty"`
	Declared          []shownDiff        `json:"declared,omitempty"`
	EstimatedRows     map[string]int64   `json:"estimated_rows"`
	RequiringUpgrader []string           `json:"types_requiring_upgraders"`
	SchemaOnly        []string           `json:"types_schema_only"`
	MissingUpgraders  []string           `json:"missing_upgraders"`
	MissingSteps      map[string][]int64 `json:"missing_steps,omitempty"`

	change typeddl.SchemaPlan
}

// shownDiff is a migration.Diff without the lists that are empty.
type shownDiff struct {
	Kind    string                     `json:"type_kind"`
	Name    string                     `json:"type_name"`
	Stored  int64                      `json:"stored_version"`
	Added   []string                   `json:"added_fields,omitempty"`
	Removed []string                   `json:"removed_fields,omitempty"`
	Changed map[string]json.RawMessage `json:"changed_fields,omitempty"`
}

// planMigration works out what makes the types of a store those of models. count
// counts the latest rows of a type.
func planMigration(pin *resolver.Pin, m *models, u upgraders, count func(*catalog.Type) (int64, error)) (*migrationPlan, error) {
	m.adopt(pin.Catalog)
	state := pin.Catalog.State(time.Now(), "")
	diffs, err := state.Diffs(m.schemas())
	if err != nil {
		return nil, err
	}
	added, declared := state.Additions(m.schemas()), m.declared(pin.Catalog, state)
	plan := &migrationPlan{
		HasChanges: len(diffs)+len(added)+len(declared) > 0, Diffs: []shownDiff{}, EstimatedRows: map[string]int64{},
		RequiringUpgrader: []string{}, SchemaOnly: []string{}, MissingUpgraders: []string{}, MissingSteps: map[string][]int64{},
		change: typeddl.SchemaPlan{Head: pin.Head.Commit},
	}
	if plan.Token, err = migration.Token(slices.Concat(diffs, added, declared), pin.Head.Commit); err != nil {
		return nil, err
	}
	for _, d := range added {
		to := m.of(d.Type)
		if err := state.Create(&to.schema, to.extras); err != nil {
			return nil, err
		}
		plan.NewTypes = append(plan.NewTypes, nameOf(d.Type))
		plan.change.Create = append(plan.change.Create, typeddl.TypeCreation{Schema: to.schema, Extras: to.extras})
	}
	for i := range diffs {
		t, ok := pin.Catalog.Type(diffs[i].Type)
		if !ok {
			return nil, &migration.MissingError{Type: diffs[i].Type}
		}
		rows, err := count(t)
		if err != nil {
			return nil, err
		}
		if err := plan.migrate(state, t, &diffs[i], m.of(t.Ref), u, rows); err != nil {
			return nil, err
		}
	}
	return plan, plan.declare(pin.Catalog, declared, m, count)
}

// of is the model of a type.
func (m *models) of(ref ontosql.TypeRef) *model {
	i := slices.IndexFunc(m.types, func(t model) bool { return t.schema.Ref == ref })
	return &m.types[i]
}

// migrate adds the migration of one type, which has so many rows.
func (plan *migrationPlan) migrate(state *migration.State, t *catalog.Type, d *migration.Diff, to *model, u upgraders, rows int64) error {
	schema := &to.schema
	before, err := format.DecodeSchema("", t.Ref.Name, state.Types[t.Ref])
	if err != nil {
		return err
	}
	if err := migration.SameIdentity(before, schema); err != nil {
		return err
	}
	if err := state.Migrate(t.SchemaID, schema, nil, migration.ReasonMigration); err != nil {
		return err
	}
	plan.Diffs = append(plan.Diffs, shown(d))
	plan.EstimatedRows[t.Ref.Name] = rows
	step := typeddl.TypeMigration{From: t.SchemaID, Schema: *schema, Extras: to.extras}
	needed := rows > 0 && needsUpgrader(before, to)
	if needed {
		plan.RequiringUpgrader = append(plan.RequiringUpgrader, t.Ref.Name)
	} else {
		plan.SchemaOnly = append(plan.SchemaOnly, t.Ref.Name)
	}
	if needed || rows > 0 && u.last(t.Ref.Name, d.Stored) > 0 {
		steps, missing := u.chain(t.Ref.Name, d.Stored)
		if len(missing) > 0 {
			plan.MissingUpgraders = append(plan.MissingUpgraders, t.Ref.Name)
			plan.MissingSteps[t.Ref.Name] = missing
		} else if step.Values, err = compose(t, d.Stored, steps, schema); err != nil {
			return err
		}
	}
	plan.change.Migrate = append(plan.change.Migrate, step)
	return nil
}

func shown(d *migration.Diff) shownDiff {
	s := shownDiff{Kind: d.Type.Kind.String(), Name: d.Type.Name, Stored: d.Stored, Added: d.Added, Removed: d.Removed, Changed: map[string]json.RawMessage{}}
	for name, c := range d.Changed {
		s.Changed[name] = slices.Concat([]byte(`{"stored":`), c.Stored, []byte(`,"code":`), c.Code, []byte(`}`))
	}
	return s
}

// needsUpgrader reports whether rows cannot go from one schema to the other as they
// are: a new field that may not be null has neither value nor DEFAULT, and a field
// whose column has another type no value of that. Whether a field that may not be
// null any more is, the rows themselves tell.
func needsUpgrader(before *format.Schema, to *model) bool {
	return slices.ContainsFunc(to.schema.Fields, func(f format.SchemaField) bool {
		was := fieldOf(before, f.Name)
		if was == nil {
			return !catalog.Nullable(f) && !slices.ContainsFunc(to.extras.Columns, func(c format.ColumnExtras) bool { return c.Field == f.Name && c.Default != "" })
		}
		return catalog.TypeOf(*was).Kind != catalog.TypeOf(f).Kind
	})
}

// complete makes sure that there is an upgrader for every step; else the error says
// which are missing.
func (plan *migrationPlan) complete() error {
	if len(plan.MissingUpgraders) == 0 {
		return nil
	}
	var texts []string
	for _, name := range plan.MissingUpgraders {
		texts = append(texts, name+" from version "+joinedNumbers(plan.MissingSteps[name]))
	}
	return fmt.Errorf("%w: %s", errMissingUpgraders, strings.Join(texts, "; "))
}

func joinedNumbers(list []int64) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, ", ")
}
