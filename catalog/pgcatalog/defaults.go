package pgcatalog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// addDefault says what a column holds where an INSERT gives no value, or what generates it.
// pg_get_expr shows adbin, which is the text here.
func (f *filler) addDefault(o *object, a attr, num int, oid uint32) {
	f.add("pg_catalog.pg_attrdef", Row{"oid": oid, "adrelid": o.oid, "adnum": int16(num), "adbin": a.defaultExpr})
	kind := "a"
	if a.generated {
		kind = "i"
	}
	f.depend(classPgAttrdef, oid, classPgClass, o.oid, num, kind)
	for _, read := range unpacked(a.reads) {
		f.depend(classPgAttrdef, oid, classPgClass, o.oid, int(read), "n")
	}
}

// valueFunctions are the functions that SQL calls without parentheses.
var valueFunctions = []string{
	"CURRENT_CATALOG", "CURRENT_DATE", "CURRENT_ROLE", "CURRENT_SCHEMA", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER",
	"LOCALTIME", "LOCALTIMESTAMP", "SESSION_USER", "USER",
}

// defaultText is the DEFAULT of a column as PostgreSQL's pg_get_expr shows it, "" if PostgreSQL
// stores none. Constants get a cast to their type. An expression that is more than a constant
// is shown as it was declared, without the casts that PostgreSQL adds inside.
func defaultText(expression string, typ uint32, typmod int32) string {
	upper := strings.ToUpper(expression)
	switch {
	case upper == "NULL" && typmod < 0:
		return ""
	case upper == "NULL" || loneString.MatchString(expression):
		return expression + "::" + formatType(typ)
	case slices.Contains(valueFunctions, upper):
		return upper
	case loneNumber.MatchString(expression):
		return numberText(expression)
	}
	return expression
}

var (
	loneString = regexp.MustCompile(`^'(?:[^']|'')*'$`)
	loneNumber = regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?$`)
)

// numberText is a numeric constant: one that the parser would take for another
// type is quoted.
func numberText(digits string) string {
	typ := "numeric"
	if _, err := strconv.ParseInt(digits, 10, 32); err == nil {
		typ = "integer"
	} else if _, err := strconv.ParseInt(digits, 10, 64); err == nil {
		typ = "bigint"
	}
	if digits[0] != '-' && (typ == "integer" || strings.Contains(digits, ".")) {
		return digits
	}
	return "'" + digits + "'::" + typ
}
