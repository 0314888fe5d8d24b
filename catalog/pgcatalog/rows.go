package pgcatalog

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
)

//go:embed rows.tsv
var rowsFile string

// parseRows reads rows.tsv: sections that begin with "@relation" and hold rows
// in the text format of COPY, with every column of the relation. The file is
// embedded and generated, so damage in it is a broken build: it panics.
func parseRows(relations map[string]*Relation, file string) map[string][][]any {
	rows := map[string][][]any{}
	var r *Relation
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "@"); ok {
			if r = withRows(relations, name); r == nil {
				panic("rows.tsv: no relation " + name)
			}
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != len(r.Columns) {
			panic(fmt.Sprintf("rows.tsv: %s has %d columns, not %d: %s", r.Name, len(r.Columns), len(fields), line))
		}
		row := make([]any, len(fields))
		for i, f := range fields {
			v, err := parseField(r.Columns[i].Type, f)
			if err != nil {
				panic(fmt.Sprintf("rows.tsv: %s.%s: %v", r.Name, r.Columns[i].Name, err))
			}
			row[i] = v
		}
		rows[r.Name] = append(rows[r.Name], row)
	}
	return rows
}

// withRows is the relation that a section of rows.tsv is of.
func withRows(relations map[string]*Relation, name string) *Relation {
	for _, schema := range []string{"pg_catalog", "", "information_schema"} {
		if r := relations[schema+"."+name]; r != nil {
			return r
		}
	}
	return nil
}

// copyEscapes are the escapes that COPY TO writes into text.
var copyEscapes = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\b`, "\b", `\f`, "\f", `\v`, "\v")

func parseField(t column.Type, field string) (any, error) {
	if field == `\N` {
		return nil, nil
	}
	if strings.Contains(field, `\`) {
		field = copyEscapes.Replace(field)
	}
	return parseValue(t, field)
}

// parseValue reads PostgreSQL's text form of a value.
func parseValue(t column.Type, text string) (any, error) {
	switch t.Kind {
	case column.Bool:
		return text == "t", nil
	case column.Int16:
		n, err := strconv.ParseInt(text, 10, 16)
		return int16(n), err
	case column.Int32:
		n, err := strconv.ParseInt(text, 10, 32)
		return int32(n), err
	case column.Int64:
		return strconv.ParseInt(text, 10, 64)
	case column.Uint32:
		n, err := strconv.ParseUint(text, 10, 32)
		return uint32(n), err
	case column.Float32:
		f, err := strconv.ParseFloat(text, 32)
		return float32(f), err
	case column.Text:
		return text, nil
	case column.List:
		var parts []string
		if t.Name != "" { // int2vector, oidvector
			parts = strings.Fields(text)
		} else {
			parts = arrayElements(text)
		}
		list := make([]any, len(parts))
		for i, part := range parts {
			v, err := parseValue(*t.Elem, part)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
	return nil, fmt.Errorf("no text form of %s", t)
}

// arrayElements splits a one-dimensional array without NULLs.
func arrayElements(text string) []string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	var parts []string
	for len(text) > 0 {
		var part string
		if text[0] == '"' {
			end := 1
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				part += string(text[end])
				end++
			}
			text = strings.TrimPrefix(text[end+1:], ",")
		} else {
			part, text, _ = strings.Cut(text, ",")
		}
		parts = append(parts, part)
	}
	return parts
}

// Setting is the row of a setting in PostgreSQL's pg_settings without its values, nil for a
// setting that PostgreSQL does not have.
func Setting(name string) Row {
	r := shape().byName[".ontosql_settings"]
	for _, row := range shape().rows["ontosql_settings"] {
		if row[0] != name {
			continue
		}
		facts := Row{}
		for i, c := range r.Columns {
			facts[c.Name] = row[i]
		}
		return facts
	}
	return nil
}
