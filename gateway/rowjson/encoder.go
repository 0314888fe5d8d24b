package rowjson

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// Encoder encodes the rows of batches whose columns are those of a type. fields_json has
// every field, null included (decision A17). An Encoder is for one goroutine.
type Encoder struct {
	Type  *catalog.Type
	Rules []*format.Rule // by column; nil where the SQL type says as much as the Python type
	// numbers are the keys of type float or bool, which SQL shows as text (decision
	// A18), by column.
	numbers []bool
	fields  []field               // in the order of fields_json
	values  []format.Value        // of the current row, by column
	Text    []byte                // fields_json of the current row, or keys
	ends    []int                 // of keys in text
	arena   []byte                // shared memory for the texts of small rows
	Rows    int                   // rows so far, for errors; the caller may reset it
	Style   func() *textout.Style // how values are printed in errors; nil is the default
}

// field is a column that is stored in fields_json.
type field struct {
	label  string // the field's name as JSON, with a colon
	column int
}

// New makes an encoder for rows of a type. schema is the version of the type's schema that
// they are written with.
func New(typ *catalog.Type, schema *format.Schema) *Encoder {
	m := &Encoder{Type: typ, Rules: make([]*format.Rule, len(typ.Columns)), numbers: make([]bool, len(typ.Columns)), values: make([]format.Value, len(typ.Columns))}
	for k, c := range typ.Columns {
		if c.Role != catalog.FromField && c.Role != catalog.FromEntityKey {
			continue
		}
		if of, _ := format.ParseSpelling(c.Spelling); c.Role == catalog.FromEntityKey {
			m.numbers[k] = of == format.FieldFloat || of == format.FieldBool
		}
		m.fields = append(m.fields, field{label: string(format.AppendString(nil, c.Field)) + ":", column: k})
		if c.Type.Kind == column.JSON || c.Type.Kind == column.Text {
			m.Rules[k] = ruleOf(schema, c.Field)
		}
	}
	slices.SortFunc(m.fields, func(a, b field) int {
		return strings.Compare(typ.Columns[a.column].Field, typ.Columns[b.column].Field)
	})
	return m
}

// ruleOf is the rule that values of a field are checked with, nil for none.
func ruleOf(schema *format.Schema, field string) *format.Rule {
	i := slices.IndexFunc(schema.Fields, func(f format.SchemaField) bool { return f.Name == field })
	if i < 0 {
		return nil
	}
	if of, _ := format.ParseSpelling(schema.Fields[i].Type); of == format.FieldStr {
		return nil
	}
	if rule := format.RuleOf(schema.Fields[i]); !rule.AdmitsAll() {
		return rule
	}
	return nil
}

// Row encodes row i of a batch. A value that the schema does not admit is an error for the
// client, with the column and the number of the row.
func (m *Encoder) Row(b *column.Batch, i int) (format.Row, error) {
	m.Rows++
	if r, ok := m.plainRow(b, i); ok {
		return r, nil
	}
	return m.checkedRow(b, i)
}

// checkedRow is Row value by value, with all checks.
func (m *Encoder) checkedRow(b *column.Batch, i int) (format.Row, error) {
	r := format.Row{SchemaVersionID: m.Type.SchemaID}
	for k := range m.Type.Columns {
		c := &m.Type.Columns[k]
		v, err := Value(&b.Cols[k], i, c)
		if err == nil && c.Role == catalog.FromEntityKey {
			v, err = keyValue(v, c)
		}
		if err == nil {
			err = m.admitted(b, i, k, v)
		}
		if err == nil && c.Role != catalog.FromField {
			err = m.identify(&r, c, v)
		}
		if err != nil {
			return format.Row{}, m.located(err, c)
		}
		m.values[k] = v
	}
	r.Fields = m.fieldsJSON()
	return r, nil
}

// keyValue is the key of an entity as fields_json has it. In SQL, a key whose Python type
// is float or bool is the text of its identity (decision A18); in fields_json it is a
// number or a boolean.
func keyValue(v format.Value, c *catalog.Column) (format.Value, error) {
	if v.Kind() != format.JSONString {
		return v, nil
	}
	of, _ := format.ParseSpelling(c.Spelling)
	text := v.Text()
	switch of {
	case format.FieldFloat:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return v, invalidText("double precision", text)
		}
		return format.Float(f), nil
	case format.FieldBool:
		yes, ok := settings.ParseBool(text)
		if !ok {
			return v, invalidText("boolean", text)
		}
		return format.Bool(yes), nil
	}
	return v, nil
}

// admitted checks the value of column k against the schema.
func (m *Encoder) admitted(b *column.Batch, i, k int, v format.Value) error {
	c := &m.Type.Columns[k]
	switch {
	case !v.IsNull() && m.Rules[k] != nil:
		return MisfitError(m.Rules[k].Check(v), c)
	case v.IsNull() && c.NotNull:
		return m.nullError(m.rowTexts(b, i), c)
	}
	return nil
}

// fieldsJSON is the canonical fields_json of the current row.
func (m *Encoder) fieldsJSON() []byte {
	m.Text = append(m.Text[:0], '{')
	for n, f := range m.fields {
		if n > 0 {
			m.Text = append(m.Text, ',')
		}
		m.Text = m.values[f.column].Append(append(m.Text, f.label...), format.Canonical)
	}
	m.Text = append(m.Text, '}')
	return m.Keep(m.Text)
}

// identify sets a part of the row's identity from the value of a key column. An entity's
// key is in its fields too; a relation's endpoints and instance key are not.
func (m *Encoder) identify(r *format.Row, c *catalog.Column, v format.Value) error {
	text, err := format.KeyText(v)
	if err != nil {
		return pgerr.New(pgerr.DatatypeMismatch, "%v", err)
	}
	if c.Role == catalog.FromInstanceKey && blank(text) {
		return pgerr.New(pgerr.CheckViolation, "the instance key %q of relation %q is blank", c.Name, m.Type.Table)
	}
	*keyPart(r, c.Role) = text
	return nil
}

// keyPart is the part of a row's identity that a key column with the role has.
func keyPart(r *format.Row, role catalog.Role) *string {
	switch role {
	case catalog.FromEntityKey:
		return &r.Key
	case catalog.FromLeftKey:
		return &r.Left
	case catalog.FromRightKey:
		return &r.Right
	case catalog.FromInstanceKey:
		return &r.Instance
	}
	panic(fmt.Sprintf("role %d is not of a key", role))
}

// blank is Python's "not text.strip()", which counts four control characters
// among the spaces that Unicode does not.
func blank(text string) bool {
	return strings.TrimFunc(text, func(c rune) bool { return unicode.IsSpace(c) || '\x1c' <= c && c <= '\x1f' }) == ""
}

// located adds the table, the column and the row to an error.
func (m *Encoder) located(err error, c *catalog.Column) error {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return err
	}
	e.WithColumn(catalog.SchemaPublic, m.Type.Table, c.Name).Within(fmt.Sprintf("row %d, column %q of the rows for %q", m.Rows, c.Name, m.Type.Table))
	return e
}

// rowTexts gives the values of row i of a batch as texts, by column.
func (m *Encoder) rowTexts(b *column.Batch, i int) func(k int) (text string, null bool) {
	return func(k int) (string, bool) {
		if b.Cols[k].IsNull(i) {
			return "", true
		}
		return m.shownText(&b.Cols[k], i, &m.Type.Columns[k])
	}
}

// nullError is PostgreSQL's error of a NULL in a NOT NULL column (ExecConstraints).
func (m *Encoder) nullError(row func(k int) (text string, null bool), c *catalog.Column) error {
	texts := make([]string, len(m.Type.Columns))
	for k := range m.Type.Columns {
		texts[k] = "null"
		if text, null := row(k); !null {
			texts[k] = shortened(text)
		}
	}
	return pgerr.New(pgerr.NotNullViolation, "null value in column %q of relation %q violates not-null constraint", c.Name, m.Type.Table).
		WithDetail("Failing row contains (%s).", strings.Join(texts, ", "))
}

// shortened truncates a value for a DETAIL to 64 bytes, as PostgreSQL does.
func shortened(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}

// MisfitError is the error of a value that the column's Python type does not admit,
// nil without one.
func MisfitError(err error, c *catalog.Column) error {
	var m *format.MisfitError
	if !errors.As(err, &m) {
		return err
	}
	found := m.Found.Kind().String()
	switch m.Found.Kind() {
	case format.JSONString:
		found = `"` + shortened(m.Found.Text()) + `"`
	case format.JSONArray, format.JSONObject:
	default:
		found = shortened(string(m.Found.Append(nil, format.Canonical)))
	}
	if m.Path == "$" {
		return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input value for column %q: %s", c.Name, found).
			WithDetail("Expected %s.", m.Want)
	}
	return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input value for column %q", c.Name).
		WithDetail("At %s: expected %s, found %s.", m.Path, m.Want, found)
}
