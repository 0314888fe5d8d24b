package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/rewrite/defaults"
)

// upgraders are SQL expressions that make the fields of a type's next schema
// version: by type, by the version that they start from, by field.
type upgraders map[string]map[int64]map[string]string

// readUpgraders reads a file of upgraders, JSON or YAML. For the name "" there are none.
func (p *program) readUpgraders(file string) (upgraders, error) {
	if file == "" {
		return nil, nil
	}
	text, err := p.readText(file)
	if err != nil {
		return nil, fmt.Errorf("upgraders: %w", err)
	}
	document, isDocument, err := parseDocument(file, text)
	if err != nil {
		return nil, fmt.Errorf("upgraders %s: %w", file, err)
	}
	if !isDocument || document.Kind() != format.JSONObject {
		return nil, fmt.Errorf(`upgraders %s: want JSON or YAML: {"Type": {"1": {"field": "SQL expression"}}}`, file)
	}
	all := upgraders{}
	for name, versions := range document.Members() {
		steps, err := readSteps(versions)
		if err != nil {
			return nil, fmt.Errorf("upgraders %s: %s: %w", file, name, err)
		}
		all[name] = steps
	}
	return all, nil
}

// readSteps reads the upgraders of one type.
func readSteps(versions format.Value) (map[int64]map[string]string, error) {
	if versions.Kind() != format.JSONObject {
		return nil, fmt.Errorf("want an object of schema versions, found %s", versions.Kind())
	}
	steps := map[int64]map[string]string{}
	for number, fields := range versions.Members() {
		from, err := strconv.ParseInt(number, 10, 64)
		if err != nil || from < 1 {
			return nil, fmt.Errorf("%q is no schema version", number)
		}
		if fields.Kind() != format.JSONObject {
			return nil, fmt.Errorf("version %d: want an object of fields, found %s", from, fields.Kind())
		}
		step := map[string]string{}
		for field, expression := range fields.Members() {
			if expression.Kind() != format.JSONString {
				return nil, fmt.Errorf("version %d: %s: want an SQL expression as text, found %s", from, field, expression.Kind())
			}
			if _, err := defaults.ParseExpression(expression.Text()); err != nil {
				return nil, fmt.Errorf("version %d: %s: %w", from, field, inSQL(err, expression.Text()))
			}
			step[field] = expression.Text()
		}
		steps[from] = step
	}
	return steps, nil
}

// last is the last version that there is a step from, of those from the stored one
// of a type on; 0 for none.
func (u upgraders) last(name string, stored int64) (last int64) {
	for from := range u[name] {
		if from >= stored {
			last = max(last, from)
		}
	}
	return last
}

// chain are the steps from a type's stored version on, up to the last that there
// is, and at least one; missing are the versions that have none.
func (u upgraders) chain(name string, stored int64) (steps []map[string]string, missing []int64) {
	for from := stored; from <= max(stored, u.last(name, stored)) && len(missing) < mostMissing; from++ {
		step, there := u[name][from]
		if !there {
			missing = append(missing, from)
		}
		steps = append(steps, step)
	}
	return steps, missing
}

// mostMissing is how many missing steps are listed.
const mostMissing = 20

// compose combines the steps into one expression for each field: a step sees the fields as the
// step before left them. Fields that the schema does not have any more are intermediate
// results.
func compose(t *catalog.Type, stored int64, steps []map[string]string, schema *format.Schema) (map[string]string, error) {
	made := map[string]string{}
	for i, step := range steps {
		columns := map[string]string{}
		for field, text := range made {
			columns[columnName(t, field)] = text
		}
		next := maps.Clone(made)
		for _, field := range slices.Sorted(maps.Keys(step)) {
			text, err := defaults.ReplaceColumns(step[field], columns)
			if err != nil {
				return nil, fmt.Errorf("upgrader of %s from version %d: %s: %w", t.Ref.Name, stored+int64(i), field, inSQL(err, step[field]))
			}
			next[field] = text
		}
		made = next
	}
	for field := range made {
		if fieldOf(schema, field) != nil {
			continue
		}
		if _, last := steps[len(steps)-1][field]; last {
			return nil, fmt.Errorf("upgrader of %s from version %d: the schema has no field %q", t.Ref.Name, stored+int64(len(steps))-1, field)
		}
		delete(made, field)
	}
	return made, nil
}

// columnName is the name by which an expression reaches a field.
func columnName(t *catalog.Type, field string) string {
	if i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Field == field }); i >= 0 {
		return t.Columns[i].Name
	}
	return strings.ToLower(field)
}
