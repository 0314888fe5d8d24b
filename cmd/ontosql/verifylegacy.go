package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// onlyLacksSpecs reports whether a stored schema is another one only because it is
// from before type_spec, which the original then adds by itself (COMPAT 1.5).
func onlyLacksSpecs(state *migration.State, to *format.Schema) bool {
	stored, err := format.DecodeSchema("", to.Ref.Name, state.Types[to.Ref])
	if err != nil {
		return false
	}
	lacks := false
	for i := range stored.Fields {
		f := &stored.Fields[i]
		if f.TypeSpec != nil {
			continue
		}
		spec, ok := specOf(f.Type)
		if !ok {
			return false
		}
		f.TypeSpec, lacks = spec.Append(nil, format.Canonical), true
	}
	return lacks && bytes.Equal(canonical(stored), canonical(to))
}

func canonical(s *format.Schema) []byte {
	text, err := format.Canonicalize(format.EncodeSchema(s))
	if err != nil {
		return nil
	}
	return text
}

var className = regexp.MustCompile(`^<class '(\w+)'>$`)

// specOf is the type_spec of a type as far as its text tells.
func specOf(text string) (format.Value, bool) {
	primitive := func(name string) format.Value {
		return format.Object(format.Member{Name: "kind", Value: format.String("primitive")}, format.Member{Name: "name", Value: format.String(name)})
	}
	if class := className.FindStringSubmatch(text); class != nil {
		return primitive(class[1]), true
	}
	if slices.Contains([]string{"str", "int", "float", "bool", "bytes"}, text) {
		return primitive(text), true
	}
	inner, closed := strings.CutSuffix(text, "]")
	for _, prefix := range []string{"typing.Optional[", "typing.List[", "list["} {
		of, ok := strings.CutPrefix(inner, prefix)
		if !ok || !closed {
			continue
		}
		item, ok := specOf(of)
		if !ok || prefix != "typing.Optional[" {
			return format.Object(format.Member{Name: "item", Value: item}, format.Member{Name: "kind", Value: format.String("list")}), ok
		}
		members := []format.Value{item, primitive("NoneType")}
		slices.SortFunc(members, func(a, b format.Value) int {
			return bytes.Compare(a.Append(nil, format.Spaced), b.Append(nil, format.Spaced))
		})
		return format.Object(format.Member{Name: "kind", Value: format.String("union")}, format.Member{Name: "members", Value: format.Array(members...)}), true
	}
	return format.Value{}, false
}
