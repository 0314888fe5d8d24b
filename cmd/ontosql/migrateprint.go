package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ontosql/ontosql/gateway/typeddl"
)

func (p *program) printMigrationPlan(plan *migrationPlan, o migrateOptions) error {
	switch {
	case !plan.HasChanges && p.cfg.JSON:
		return printJSON(p.out, map[string]bool{"has_changes": false})
	case !plan.HasChanges:
		fmt.Fprintln(p.out, "No schema changes detected.")
		return nil
	case p.cfg.JSON:
		return printJSON(p.out, plan)
	}
	fmt.Fprintln(p.out, "Migration plan:")
	for _, t := range plan.NewTypes {
		fmt.Fprintf(p.out, "\n  %s '%s' (new)\n", t.Kind, t.Name)
	}
	for _, d := range plan.Diffs {
		fmt.Fprintf(p.out, "\n  %s '%s' (v%d):\n", d.Kind, d.Name, d.Stored)
		p.printDiff(&d)
		fmt.Fprintf(p.out, "    Rows: %d\n", plan.EstimatedRows[d.Name])
	}
	for _, d := range plan.Declared {
		fmt.Fprintf(p.out, "\n  %s '%s' (v%d), declared:\n", d.Kind, d.Name, d.Stored)
		p.printChanged(d.Changed)
	}
	if len(plan.RequiringUpgrader) > 0 {
		fmt.Fprintf(p.out, "\nTypes requiring upgraders: %s\n", strings.Join(plan.RequiringUpgrader, ", "))
	}
	for _, name := range plan.MissingUpgraders {
		fmt.Fprintf(p.out, "Missing upgraders: %s from version %s\n", name, joinedNumbers(plan.MissingSteps[name]))
	}
	fmt.Fprintf(p.out, "\nToken: %s\n", plan.Token)
	if len(plan.MissingUpgraders) == 0 {
		fmt.Fprintf(p.out, "\nTo apply: %s --apply --token %s\n", o.again, plan.Token)
	}
	return nil
}

func (p *program) printChanged(fields map[string]json.RawMessage) {
	for _, name := range sortedNames(fields) {
		fmt.Fprintf(p.out, "    ~ %s: %s\n", name, fields[name])
	}
}

// migrated is the original's answer to a migration (COMPAT 7). new_types and
// types_declared are ours.
type migrated struct {
	Success  bool             `json:"success"`
	Types    []string         `json:"types_migrated"`
	NewTypes []typeName       `json:"new_types,omitempty"`
	Declared []string         `json:"types_declared,omitempty"`
	Rows     map[string]int64 `json:"rows_migrated"`
	Versions map[string]int64 `json:"new_schema_versions"`
	Duration float64          `json:"duration_s"`
}

func (p *program) printMigrated(plan *migrationPlan, changed *typeddl.ChangedSchema, took time.Duration) error {
	out := migrated{Success: true, Types: []string{}, NewTypes: plan.NewTypes, Rows: map[string]int64{}, Versions: map[string]int64{}}
	for _, d := range plan.Declared {
		out.Declared = append(out.Declared, d.Name)
	}
	for i, t := range changed.Types {
		if i >= len(plan.Diffs) { // its schema stays
			if t.Rows > 0 {
				out.Rows[t.Type.Name] = t.Rows
			}
			continue
		}
		out.Types = append(out.Types, t.Type.Name)
		out.Rows[t.Type.Name], out.Versions[t.Type.Name] = t.Rows, t.Version
	}
	out.Duration = math.Round(took.Seconds()*1000) / 1000
	if p.cfg.JSON {
		return printJSON(p.out, out)
	}
	fmt.Fprintf(p.out, "Migration applied in commit %d.\n", changed.Commit)
	for _, t := range plan.NewTypes {
		fmt.Fprintf(p.out, "  %s: new\n", t.Name)
	}
	for _, name := range out.Declared {
		fmt.Fprintf(p.out, "  %s: declared as in the file\n", name)
	}
	for _, name := range out.Types {
		fmt.Fprintf(p.out, "  %s: %d rows migrated -> v%d\n", name, out.Rows[name], out.Versions[name])
	}
	fmt.Fprintf(p.out, "Duration: %.3fs\n", out.Duration)
	return nil
}
