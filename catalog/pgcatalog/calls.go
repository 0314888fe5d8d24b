package pgcatalog

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc"
)

// SessionVariable is the DuckDB variable with the number of the session that asks.
// DuckDB reads a variable when it plans.
const SessionVariable = "ontosql_catalog_session"

// Calls are functions of the engine on which those of macros.sql stand: look-ups of
// names, OIDs and definitions in what the catalog of the session shows. view gives
// that of a session's number, nil for none. They are called within statements, by
// several threads at once.
func Calls(view func(session int64) *View) []pgfunc.Function {
	text, number, texts := pgfunc.Text, pgfunc.Int, pgfunc.Texts
	in := func(name string, result pgfunc.Kind, args []pgfunc.Kind, call func(v *View, args []pgfunc.Value) pgfunc.Value) pgfunc.Function {
		return pgfunc.Function{
			Name: name, Args: append([]pgfunc.Kind{number}, args...), Result: result, Nulls: name == "ontosql_format_type",
			New: func() pgfunc.Call {
				return func(args []pgfunc.Value) (pgfunc.Value, error) {
					v := view(args[0].Int)
					if v == nil || args[0].Null {
						return pgfunc.Value{Null: true}, nil
					}
					return call(v, args[1:]), nil
				}
			},
		}
	}
	known := func(name string, effect bool) pgfunc.Function {
		return pgfunc.Function{
			Name: name, Args: []pgfunc.Kind{number, text, text, number, number}, Result: number, Nulls: true, Effect: effect,
			New: func() pgfunc.Call {
				return func(a []pgfunc.Value) (pgfunc.Value, error) {
					if v := view(a[0].Int); v != nil && a[3].Null && !a[2].Null {
						return a[3], v.unknown(a[1].Text, a[2].Text).At(int(a[4].Int))
					}
					return a[3], nil
				}
			},
		}
	}
	kinds := func(k ...pgfunc.Kind) []pgfunc.Kind { return k }
	return []pgfunc.Function{
		in("ontosql_object_oid", number, kinds(number, text), func(v *View, a []pgfunc.Value) pgfunc.Value {
			return oidOf(v.objectOID(uint32(a[0].Int), a[1].Text))
		}),
		in("ontosql_object_name", text, kinds(number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			return pgfunc.Value{Text: v.objectName(uint32(a[0].Int), uint32(a[1].Int))}
		}),
		in("ontosql_object_visible", number, kinds(number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			visible, known := v.isVisible(uint32(a[0].Int), uint32(a[1].Int))
			return truth(visible, known)
		}),
		in("ontosql_object_identity", texts, kinds(number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			id, known := v.identified(uint32(a[0].Int), uint32(a[1].Int))
			return pgfunc.Value{Null: !known, List: []pgfunc.Value{
				{Text: id.kind}, {Text: id.schema, Null: id.schema == ""}, {Text: id.name, Null: id.name == ""}, {Text: id.qualified}, {Text: id.shown},
			}}
		}),
		in("ontosql_type_oid", number, kinds(text), func(v *View, a []pgfunc.Value) pgfunc.Value { return oidOf(v.typeOID(a[0].Text)) }),
		in("ontosql_type_name", text, kinds(number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			return pgfunc.Value{Text: v.typeName(uint32(a[0].Int))}
		}),
		in("ontosql_format_type", text, kinds(number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			if a[0].Null {
				return a[0]
			}
			return pgfunc.Value{Text: v.formatted(uint32(a[0].Int), a[1])}
		}),
		in("ontosql_call_oid", number, kinds(number, text), func(v *View, a []pgfunc.Value) pgfunc.Value {
			return oidOf(v.callOID(uint32(a[0].Int), a[1].Text))
		}),
		in("ontosql_call_name", text, kinds(number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			return textOf(v.callName(uint32(a[0].Int), uint32(a[1].Int)))
		}),
		in("ontosql_own_oid", number, kinds(number, text), func(_ *View, a []pgfunc.Value) pgfunc.Value {
			return oidOf(ownOID(uint32(a[0].Int), a[1].Text))
		}),
		in("ontosql_own_name", text, kinds(number, number), func(_ *View, a []pgfunc.Value) pgfunc.Value {
			return textOf(ownName(uint32(a[0].Int), uint32(a[1].Int)))
		}),
		in("ontosql_search_path", texts, kinds(number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			path := v.named
			if a[0].Int != 0 {
				path = v.path
			}
			list := make([]pgfunc.Value, len(path))
			for i, schema := range path {
				list[i].Text = schema
			}
			return pgfunc.Value{List: list}
		}),
		in("ontosql_definition", text, kinds(number, number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			return textOf(v.definition(part(a)))
		}),
		in("ontosql_comment", text, kinds(number, number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			return textOf(v.facts.comment(part(a)))
		}),
		in("ontosql_column_name", text, kinds(number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			oid := uint32(a[0].Int)
			return textOf(find(v.facts, oid, func(f *facts) map[columnID]string { return f.columns }, columnID{oid, a[1].Int}))
		}),
		in("ontosql_serial_sequence", text, kinds(number, text), func(v *View, a []pgfunc.Value) pgfunc.Value {
			return textOf(v.serialSequence(uint32(a[0].Int), a[1].Text))
		}),
		in("ontosql_role_name", text, kinds(number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			oid := uint32(a[0].Int)
			return textOf(find(v.facts, oid, func(f *facts) map[uint32]string { return f.roles }, oid))
		}),
		in("ontosql_relation_kind", text, kinds(number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			r, known := v.facts.relation(uint32(a[0].Int))
			return textOf(r.kind, known)
		}),
		in("ontosql_relation_writable", number, kinds(number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			r, _ := v.facts.relation(uint32(a[0].Int))
			return truth(r.writable, true)
		}),
		in("ontosql_relation_events", number, kinds(number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			r, _ := v.facts.relation(uint32(a[0].Int))
			return pgfunc.Value{Int: r.events}
		}),
		in("ontosql_column_updatable", number, kinds(number, number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			r, _ := v.facts.relation(uint32(a[0].Int))
			return truth(r.isUpdatable(a[1].Int), true)
		}),
		in("ontosql_primary_index", number, kinds(number), func(v *View, a []pgfunc.Value) pgfunc.Value {
			oid := uint32(a[0].Int)
			return oidOf(find(v.facts, oid, func(f *facts) map[uint32]uint32 { return f.primary }, oid))
		}),
		known("ontosql_known_object", false),
		known("ontosql_present_object", true),
		{
			Name: "ontosql_to_reg", Args: kinds(number, text, text, number), Result: number, Nulls: true,
			New: func() pgfunc.Call {
				return func(a []pgfunc.Value) (pgfunc.Value, error) {
					v := view(a[0].Int)
					if v == nil || a[2].Null {
						return pgfunc.Value{Null: true}, nil
					}
					_, digits := parseOID(a[2].Text) // to_regclass and its like read names alone
					if fault := v.nameFault(a[1].Text, a[2].Text); fault != nil && (digits || a[3].Null) {
						return pgfunc.Value{}, fault
					}
					return pgfunc.Value{Int: a[3].Int, Null: digits || a[3].Null}, nil
				}
			},
		},
		{
			Name: "ontosql_quote_ident", Args: kinds(text), Result: text,
			New: func() pgfunc.Call {
				return func(a []pgfunc.Value) (pgfunc.Value, error) { return pgfunc.Value{Text: quoteIdent(a[0].Text)}, nil }
			},
		},
	}
}

func part(a []pgfunc.Value) partID {
	return partID{objectID{uint32(a[0].Int), uint32(a[1].Int)}, int(a[2].Int)}
}

func oidOf(oid uint32, known bool) pgfunc.Value { return pgfunc.Value{Int: int64(oid), Null: !known} }

func textOf(s string, known bool) pgfunc.Value { return pgfunc.Value{Text: s, Null: !known} }

func truth(is, known bool) pgfunc.Value {
	v := pgfunc.Value{Null: !known}
	if is {
		v.Int = 1
	}
	return v
}

// intervalFields are the words of a type modifier of interval.
var intervalFields = map[int64]string{
	4: " year", 2: " month", 8: " day", 1024: " hour", 2048: " minute", 4096: " second", 6: " year to month", 1032: " day to hour",
	3080: " day to minute", 7176: " day to second", 3072: " hour to minute", 7168: " hour to second", 6144: " minute to second",
}

var timeWord = regexp.MustCompile(`^(timestamp|time)`)

// formatted is format_type.
func (v *View) formatted(oid uint32, modifier pgfunc.Value) string {
	n, known := v.typeNamed(oid)
	switch {
	case oid == 0:
		return "-"
	case !known:
		return "???"
	case modifier.Null:
		return n.plain + n.suffix
	case modifier.Int < 0:
		return n.modified + n.suffix
	}
	return n.with(modifier.Int) + n.suffix
}

// with is the name of a type with a type modifier of its own.
func (n typeName) with(mod int64) string {
	of := func(numbers ...int64) string {
		parts := make([]string, len(numbers))
		for i, number := range numbers {
			parts[i] = strconv.FormatInt(number, 10)
		}
		return "(" + strings.Join(parts, ",") + ")"
	}
	switch n.family {
	case "bool", "int2", "int4", "int8", "float4", "float8":
		return n.plain
	case "varchar", "bpchar":
		if mod <= 4 {
			return n.plain
		}
		return n.plain + of(mod-4)
	case "numeric":
		if mod < 4 {
			return n.plain
		}
		scale := (mod-4)&2047 ^ 1024
		return n.plain + of((mod-4)>>16&65535, scale-1024)
	case "time", "timetz", "timestamp", "timestamptz":
		return timeWord.ReplaceAllString(n.plain, "${1}"+of(mod))
	case "interval":
		name := n.plain + intervalFields[mod>>16&32767]
		if mod&65535 == 65535 {
			return name
		}
		return name + of(mod&65535)
	}
	return n.plain + of(mod)
}
