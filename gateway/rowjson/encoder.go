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
	"github.com/ontosql/ontosql/pgfunc"
)

// Encoder makes stored rows of the rows of a batch: the identity as text, and
// every field as fields_json has it, null included (decision A17).
type Encoder struct {
	Type  *catalog.Type
	Rules []*format.Rule // by column; nil where the SQL type says as much as the Python type
	// numbers are the keys of type float or bool, which SQL shows as text (decision
	// A18), by column.
	numbers []bool
	fields  []field             // in the order of fields_json
	values  []format.Value      // of the row at hand, by column
	Text    []byte              // fields_json of the row at hand, or keys
	ends    []int               // of keys in text
	arena   []byte              // where the texts of rows lie, one behind the other
	Rows    int                 // rows so far
	Style   func() pgfunc.Style // of the session whose rows they are; nil is the default
}

// field is a column that stands in fields_json.
type field struct {
	label  string // the field's name as JSON, with a colon
	column int
}

// New makes an imager for rows of a type that are written by a schema.
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

// ruleOf is the rule of a field, nil where it says no more than text does.
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

// Row is row i of a batch whose columns are those of the type. What the schema
// does not admit is the client's error, with column and row.
func (m *Encoder) Row(b *column.Batch, i int) (format.Row, error) {
	m.Rows++
	if r, ok := m.plainRow(b, i); ok {
		return r, nil
	}
	return m.checkedRow(b, i)
}

// checkedRow is row value by value.
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

// keyValue is the key of an entity as its Python type has it: SQL shows a key of
// type float or bool as the text that is its identity (decision A18), and in
// fields_json it is none.
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

// admitted holds the value of column k against the schema.
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

// fieldsJSON is fields_json of the row at hand, canonical.
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

// identify takes the value of a key's column into the row's identity. An
// entity's key stands in its fields too, a relation's endpoints and its instance
// key do not (COMPAT rule 4).
func (m *Encoder) identify(r *format.Row, c *catalog.Column, v format.Value) error {
	text, err := format.KeyText(v)
	if err != nil {
		return pgerr.New(pgerr.DatatypeMismatch, "%v", err)
	}
	switch c.Role {
	case catalog.FromEntityKey:
		r.Key = text
	case catalog.FromLeftKey:
		r.Left = text
	case catalog.FromRightKey:
		r.Right = text
	case catalog.FromInstanceKey:
		if blank(text) {
			return pgerr.New(pgerr.CheckViolation, "the instance key %q of relation %q is blank", c.Name, m.Type.Table)
		}
		r.Instance = text
	}
	return nil
}

// blank is Python's "not text.strip()", which counts four control characters
// among the spaces that Unicode does not.
func blank(text string) bool {
	return strings.TrimFunc(text, func(c rune) bool { return unicode.IsSpace(c) || '\x1c' <= c && c <= '\x1f' }) == ""
}

// located adds the place of a value to its error.
func (m *Encoder) located(err error, c *catalog.Column) error {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Schema, e.Table, e.Column = catalog.SchemaPublic, m.Type.Table, c.Name
	e.Where = fmt.Sprintf("row %d, column %q of the rows for %q", m.Rows, c.Name, m.Type.Table)
	return e
}

// rowTexts are the values of row i of a batch as texts, by column.
func (m *Encoder) rowTexts(b *column.Batch, i int) func(k int) (text string, null bool) {
	return func(k int) (string, bool) {
		if b.Cols[k].IsNull(i) {
			return "", true
		}
		return m.shownText(&b.Cols[k], i, &m.Type.Columns[k])
	}
}

// nullError is PostgreSQL's (ExecConstraints) for a row of these values.
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

// shortened cuts a value for a DETAIL as PostgreSQL does, after 64 bytes.
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
