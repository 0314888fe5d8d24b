package format

import "strings"

// RuleOf returns the rule of a field. If the type_spec is missing or invalid, the Rule accepts
// everything.
func RuleOf(f SchemaField) *Rule {
	spec, err := ParseJSON(f.TypeSpec)
	if err != nil {
		return &Rule{}
	}
	reader := specReader{spelling: f.Type, open: map[string]*Rule{}}
	return reader.rule(spec)
}

// specReader converts a type_spec to rules.
type specReader struct {
	spelling string           // the field's "type"
	open     map[string]*Rule // the enclosing TypedDicts by name, for "ref"
}

func (s *specReader) rule(spec Value) *Rule {
	name := spec.textOf("name")
	switch spec.textOf("kind") {
	case "primitive":
		return s.primitive(name)
	case "list":
		return &Rule{shape: shapeList, item: s.part(spec, "item")}
	case "dict":
		return &Rule{shape: shapeDict, key: s.part(spec, "key"), item: s.part(spec, "value")}
	case "typed_dict":
		return s.typedDict(name, spec)
	case "union":
		return unionOf(s.members(nil, spec)...)
	case "ref":
		if r := s.open[name]; r != nil {
			return r
		}
	}
	return &Rule{}
}

func (s *specReader) part(spec Value, name string) *Rule {
	part, _ := spec.Get(name)
	return s.rule(part)
}

// members appends the rules of a union's members. It flattens nested unions.
func (s *specReader) members(rules []*Rule, union Value) []*Rule {
	members, _ := union.Get("members")
	if len(members.Items()) == 0 {
		return append(rules, &Rule{})
	}
	for _, m := range members.Items() {
		if m.textOf("kind") == "union" {
			rules = s.members(rules, m)
		} else {
			rules = append(rules, s.rule(m))
		}
	}
	return rules
}

func (s *specReader) typedDict(name string, spec Value) *Rule {
	r := &Rule{shape: shapeTypedDict, name: name, fields: map[string]*Rule{}}
	outer := s.open[name]
	s.open[name] = r
	fields, _ := spec.Get("fields")
	for i, field := range fields.names {
		r.fields[field] = s.rule(fields.items[i])
	}
	s.open[name] = outer
	return r
}

// textOf returns the text of a member, "" if the member is not a string.
func (v Value) textOf(name string) string {
	member, _ := v.Get(name)
	if member.kind != JSONString {
		return ""
	}
	return member.text
}

// unionOf returns a rule that accepts what any of its members accepts.
func unionOf(members ...*Rule) *Rule {
	var flat []*Rule
	var seen [shapeLiteral]bool
	for _, m := range members {
		parts := []*Rule{m}
		if m.shape == shapeUnion {
			parts = m.parts
		}
		for _, part := range parts {
			if part.AdmitsAll() {
				return part
			}
			if part.shape < shapeLiteral {
				if seen[part.shape] {
					continue
				}
				seen[part.shape] = true
			}
			flat = append(flat, part)
		}
	}
	switch len(flat) {
	case 0:
		return &Rule{}
	case 1:
		return flat[0]
	}
	return &Rule{shape: shapeUnion, parts: flat}
}

// primitiveShapes maps names of Python types to shapes.
var primitiveShapes = map[string]shape{
	"None": shapeNone, "NoneType": shapeNone, "str": shapeStr, "int": shapeInt, "float": shapeFloat, "bool": shapeBool, "bytes": shapeBytes,
	"list": shapeList, "tuple": shapeList, "set": shapeList, "frozenset": shapeList, "dict": shapeDict,
	"datetime.datetime": shapeDatetime, "datetime.date": shapeDate, "decimal.Decimal": shapeDecimal, "uuid.UUID": shapeUUID,
}

// primitive returns the rule of a type_spec of kind "primitive". name is the name of a class
// without its module, or the whole text of a type that the type_spec does not decompose.
func (s *specReader) primitive(name string) *Rule {
	// An enum may also be called "date". The field's "type" contains the module.
	for _, qualified := range strings.FieldsFunc(s.spelling, func(c rune) bool { return c != '.' && !plainName("_"+string(c)) }) {
		if primitiveShapes[qualified] != shapeAny && strings.HasSuffix(qualified, "."+name) {
			name = qualified
		}
	}
	return parseRule(name)
}

// plainRule returns the rule of a class.
func plainRule(name string) *Rule {
	r := &Rule{shape: primitiveShapes[name]}
	switch r.shape {
	case shapeList:
		r.item = &Rule{}
	case shapeDict:
		r.key, r.item = &Rule{}, &Rule{}
	}
	return r
}
