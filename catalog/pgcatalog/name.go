package pgcatalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog"
)

// objectKey is the form in which names are compared: every part quoted.
func objectKey(schema, name string) string { return quoted(schema) + "." + quoted(name) }

// qualifiedName is schema.name as SQL needs it to be written.
func qualifiedName(schema, name string) string { return quoteIdent(schema) + "." + quoteIdent(name) }

// parseOID reads the digits that every reg* type takes for an OID; "-" is 0.
func parseOID(text string) (uint32, bool) {
	if text == "-" {
		return 0, true
	}
	oid, err := strconv.ParseUint(text, 10, 32)
	return uint32(oid), err == nil
}

// space are the characters that PostgreSQL's scanner takes for white space.
const space = " \t\n\r\f"

// splitName reads a dotted name, folding what is not quoted to lower case.
func splitName(text string) (parts []string, ok bool) {
	for rest := strings.Trim(text, space); ; {
		var part string
		if strings.HasPrefix(rest, `"`) {
			rest = rest[1:]
			for {
				before, after, found := strings.Cut(rest, `"`)
				if !found {
					return nil, false
				}
				part, rest = part+before, after
				if !strings.HasPrefix(rest, `"`) {
					break
				}
				part, rest = part+`"`, rest[1:]
			}
		} else {
			end := strings.IndexAny(rest, "."+space)
			if end < 0 {
				end = len(rest)
			}
			part, rest = catalog.Fold(rest[:end]), rest[end:]
		}
		if part == "" {
			return nil, false
		}
		parts = append(parts, part)
		rest = strings.TrimLeft(rest, space)
		if rest == "" {
			return parts, true
		}
		if rest[0] != '.' {
			return nil, false
		}
		rest = strings.TrimLeft(rest[1:], space)
	}
}

// withCatalog is the search path as names are looked up along it.
func withCatalog(path []string) []string {
	if slices.Contains(path, "pg_catalog") {
		return path
	}
	return append([]string{"pg_catalog"}, path...)
}

// isTemp reports whether a schema is the session's schema of temporary tables by its alias.
func isTemp(schema string) bool { return schema == "pg_temp" }

// shownSchema is a schema as names of objects show it: temporary tables are in pg_temp.
func shownSchema(schema string) string {
	if strings.HasPrefix(schema, "pg_temp_") {
		return "pg_temp"
	}
	return schema
}

// withTemp is a search path with the schema of temporary tables in the place of its alias, or
// first.
func withTemp(path []string, schema string) []string {
	i := slices.IndexFunc(path, isTemp)
	path = slices.Clone(path)
	switch {
	case i >= 0 && schema != "":
		path[i] = schema
	case i >= 0:
		path = slices.Delete(path, i, i+1)
	case schema != "":
		path = slices.Insert(path, 0, schema)
	}
	return path
}

// GeneratedName makes the name "table_column_label" of a constraint or index as PostgreSQL's
// makeObjectName does: the longer of the two is shortened until all fits in 63 bytes. col may
// be "".
func GeneratedName(table, col, label string) string {
	room := 63 - len(label) - 1
	if col != "" {
		room--
	}
	t, c := len(table), len(col)
	for t+c > room {
		if t > c {
			t--
		} else {
			c--
		}
	}
	name := catalog.Cut(table, t)
	if col != "" {
		name += "_" + catalog.Cut(col, c)
	}
	return name + "_" + label
}

// PrimaryKeyName is what PostgreSQL calls the primary key of a table.
func PrimaryKeyName(table string) string { return GeneratedName(table, "", "pkey") }
