package transfer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgfunc/numeric"
)

// recordChecker checks and converts records of a type.
type recordChecker struct {
	typ    *catalog.Type
	schema *format.Schema
	fields map[string]*fieldChecker
	key    string // the primary key of an entity
}

// fieldChecker checks and converts values of one field.
type fieldChecker struct {
	kind   format.FieldType
	rule   *format.Rule
	column *catalog.Column
}

// newRecordChecker returns a checker for the schema of a type.
func newRecordChecker(t *catalog.Type, schema *format.Schema) *recordChecker {
	s := &recordChecker{typ: t, schema: schema, fields: map[string]*fieldChecker{}}
	for _, f := range schema.Fields {
		kind, _ := format.ParseSpelling(f.Type)
		s.fields[f.Name] = &fieldChecker{kind: kind, rule: format.RuleOf(f)}
		if f.PrimaryKey {
			s.key = f.Name
		}
	}
	for i := range t.Columns {
		if f := s.fields[t.Columns[i].Field]; f != nil {
			f.column = &t.Columns[i]
		}
	}
	return s
}

// toRow converts a record to a row: every field of the schema in stored form, missing ones as
// null. Unknown fields are an error; the original ignores them silently.
func (s *recordChecker) toRow(r *record) error {
	for name := range r.fields.Members() {
		if s.fields[name] == nil {
			return fmt.Errorf("fields.%s: %s has no such field", name, r.ref)
		}
	}
	if err := s.instance(r); err != nil {
		return err
	}
	members := make([]format.Member, 0, len(s.schema.Fields))
	for i := range s.schema.Fields {
		name := s.schema.Fields[i].Name
		if r.ref.Kind == ontosql.Relation && name == s.schema.InstanceKey {
			continue
		}
		given, there := r.fields.Get(name)
		v, err := s.fields[name].check(given, there)
		var misfit *format.MisfitError
		if errors.As(err, &misfit) {
			return fmt.Errorf("fields.%s%s: expected %s, found %s", name, strings.TrimPrefix(misfit.Path, "$"), misfit.Want, misfit.Found.Kind())
		}
		if err != nil {
			return fmt.Errorf("fields.%s: %w", name, err)
		}
		members = append(members, format.Member{Name: name, Value: v})
	}
	row := format.Object(members...)
	r.row.Fields = row.Append(nil, format.Canonical)
	if r.ref.Kind == ontosql.Relation {
		return nil
	}
	return s.entityKey(r, row)
}

// entityKey sets the key from the primary key's value. The record's own key must be equal.
func (s *recordChecker) entityKey(r *record, row format.Value) error {
	v, _ := row.Get(s.key)
	if v.IsNull() {
		return fmt.Errorf("fields.%s: the primary key is null", s.key)
	}
	key, err := format.KeyText(v)
	if err != nil {
		return fmt.Errorf("fields.%s: %w", s.key, err)
	}
	if r.key != nil && *r.key != key {
		return fmt.Errorf("key: is %q where fields.%s is %q", *r.key, s.key, key)
	}
	r.row.Key = key
	return nil
}

// instance checks the instance key, which may also be given as a field, where it is not
// stored.
func (s *recordChecker) instance(r *record) error {
	field := s.schema.InstanceKey
	if r.ref.Kind == ontosql.Entity {
		return nil
	}
	if field == "" {
		if r.row.Instance != "" {
			return fmt.Errorf("instance_key: %s has none", r.ref)
		}
		return nil
	}
	if v, there := r.fields.Get(field); there {
		if v.Kind() != format.JSONString || r.row.Instance != "" && r.row.Instance != v.Text() {
			return fmt.Errorf("fields.%s: is not the instance_key", field)
		}
		r.row.Instance = v.Text()
	}
	if strings.TrimSpace(r.row.Instance) == "" {
		return fmt.Errorf("instance_key: missing or blank, %s has one", r.ref)
	}
	return nil
}

var (
	errNull    = errors.New("is null or missing, and the field is not nullable")
	errDefault = errors.New("missing: the field's DEFAULT is not evaluated here, give the value")
)

// check checks a value and returns its stored form.
func (f *fieldChecker) check(v format.Value, there bool) (format.Value, error) {
	switch {
	case !there && f.column != nil && f.column.Default != "":
		return v, errDefault
	case v.IsNull() && f.column != nil && f.column.NotNull:
		return v, errNull
	case v.IsNull():
		return v, nil
	}
	if err := f.rule.Check(v); err != nil {
		return v, err
	}
	stored, err := f.stored(v)
	if err == nil && f.column != nil {
		err = f.checkTypmod(stored)
	}
	return stored, err
}

// stored converts a value that the original's models accept for the type as they do: 3 and "3"
// become 3.0 for a float.
func (f *fieldChecker) stored(v format.Value) (format.Value, error) {
	switch f.kind {
	case format.FieldInt:
		return storedInt(v)
	case format.FieldFloat:
		return storedFloat(v)
	case format.FieldBool:
		return storedBool(v)
	case format.FieldDecimal:
		return storedText(numeral(v), format.FormatDecimal)
	case format.FieldDatetime:
		return storedText(v, func(s string) (string, error) {
			micros, err := format.ParseDatetime(s)
			if err != nil {
				return "", err
			}
			return format.FormatDatetime(micros)
		})
	case format.FieldDate:
		return storedText(v, func(s string) (string, error) {
			days, err := format.ParseDate(s)
			if err != nil {
				return "", err
			}
			return format.FormatDate(days)
		})
	case format.FieldUUID:
		return storedText(v, func(s string) (string, error) {
			id, err := format.ParseUUID(s)
			return format.FormatUUID(id), err
		})
	case format.FieldBytes:
		return storedText(v, func(s string) (string, error) {
			b, err := format.ParseBytes(s)
			return format.FormatBytes(b), err
		})
	}
	return v, nil
}

// numeral returns a number as a string, and any other value unchanged.
func numeral(v format.Value) format.Value {
	if v.Kind() == format.JSONInt || v.Kind() == format.JSONFloat {
		return format.String(string(v.Append(nil, format.Canonical)))
	}
	return v
}

func storedText(v format.Value, form func(string) (string, error)) (format.Value, error) {
	if v.Kind() != format.JSONString {
		return v, fmt.Errorf("expected a string, found %s", v.Kind())
	}
	text, err := form(v.Text())
	return format.String(text), err
}

var errTooLarge = errors.New("does not fit 64 bits")

func storedInt(v format.Value) (format.Value, error) {
	switch v.Kind() {
	case format.JSONBool:
		if v.Bool() {
			return format.Int(1), nil
		}
		return format.Int(0), nil
	case format.JSONFloat:
		if f := v.Float(); f >= -1<<63 && f < 1<<63 {
			return format.Int(int64(f)), nil
		}
		return v, errTooLarge
	case format.JSONInt:
		if _, ok := v.Int64(); !ok {
			return v, errTooLarge
		}
		return v, nil
	}
	text, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(v.Text()), "_", ""), ".") // the rule allows zeros after the decimal point
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return v, errTooLarge
	}
	return format.Int(n), nil
}

func storedFloat(v format.Value) (format.Value, error) {
	text := v.Text()
	switch v.Kind() {
	case format.JSONFloat:
		return v, nil
	case format.JSONBool:
		text = "0"
		if v.Bool() {
			text = "1"
		}
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(text), "_", ""), 64)
	if err != nil {
		return v, fmt.Errorf("%q does not fit a float", text)
	}
	return format.Float(f), nil
}

func storedBool(v format.Value) (format.Value, error) {
	switch v.Kind() {
	case format.JSONBool:
		return v, nil
	case format.JSONInt:
		return format.Bool(v.Text() != "0"), nil
	case format.JSONFloat:
		return format.Bool(v.Float() != 0), nil
	}
	switch strings.ToLower(v.Text()) {
	case "1", "on", "t", "true", "y", "yes":
		return format.Bool(true), nil
	}
	return format.Bool(false), nil
}

// typmodHeader is VARHDRSZ, which PostgreSQL adds to the limits in atttypmod.
const typmodHeader = 4

// checkTypmod checks a value against varchar(n) and numeric(p,s).
func (f *fieldChecker) checkTypmod(v format.Value) error {
	limit := f.column.Typmod - typmodHeader
	precision, scale := int(limit>>16), int(limit<<21>>21) // of a numeric: the scale has 11 bits and a sign
	switch {
	case f.column.Typmod == 0:
	case f.column.Type.Kind == column.Text && v.Kind() == format.JSONString:
		if utf8.RuneCountInString(v.Text()) > int(limit) {
			return fmt.Errorf("value too long for type character varying(%d)", limit)
		}
	case f.column.Type.Kind == column.Wide:
		key, ok := column.AppendWideKey(nil, []byte(v.Text()))
		fitted, err := numeric.FitWide(string(key), precision, scale)
		if !ok || err != nil || fitted != string(key) {
			return fmt.Errorf("%s does not fit numeric(%d,%d)", v.Text(), precision, scale)
		}
	case f.column.Type.Kind == column.Numeric:
		whole, fraction, _ := strings.Cut(strings.TrimPrefix(v.Text(), "-"), ".")
		if len(strings.TrimLeft(whole, "0")) > precision-scale || len(fraction) > scale {
			return fmt.Errorf("%s does not fit numeric(%d,%d)", v.Text(), precision, scale)
		}
	}
	return nil
}
