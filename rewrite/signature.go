package rewrite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// signature is one overload of a function or operator of PostgreSQL and the
// engine's SQL for it.
type signature struct {
	name     string
	args     []uint32
	variadic bool           // the last argument may be repeated
	ret      uint32         // anyelement and anyarray follow the arguments
	same     int            // the result has the type of argument same-1; 0: ret
	set      bool           // returns rows
	agg      bool           // an aggregate
	window   bool           // a window function
	volatile bool           // answers differently each time
	num      types.Digits   // what anyelement has where it is numeric
	bare     bool           // its arguments become JSON in wrap, not before
	row      *types.RowType // of a function that returns a row
	template string         // {1} {2} ... the arguments, {*} all of them, @name a macro; "" is name({*})
	wrap     string         // what stands around the call of an aggregate or window function, {agg}, or a row of a set, {set}
}

// parseSignatures reads a table of overloads, one a line:
//
//	[agg|win|set|volatile] name(type|type, type...) result [= template] [=> wrap]
//
// a|b makes an overload for each; =1 as result means "as argument 1"; "..."
// after the last type makes it variadic. The template of a set is the list of
// its rows.
func parseSignatures(table string) map[string][]signature {
	all := map[string][]signature{}
	for _, line := range strings.Split(table, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		for _, s := range parseSignature(line) {
			all[s.name] = append(all[s.name], s)
		}
	}
	return all
}

func parseSignature(line string) []signature {
	var s signature
	head, wrap, _ := strings.Cut(line, " => ")
	s.wrap = enginesql.ExpandMacroNames([]string{strings.TrimSpace(wrap)})[0]
	head, template, _ := strings.Cut(head, " = ")
	s.template = strings.TrimSpace(template)
	head = strings.TrimSpace(head)
	for _, word := range []struct {
		text string
		flag *bool
	}{{"agg ", &s.agg}, {"win ", &s.window}, {"set ", &s.set}, {"volatile ", &s.volatile}} {
		if strings.HasPrefix(head, word.text) {
			*word.flag, head = true, strings.TrimPrefix(head, word.text)
		}
	}
	open, end := strings.LastIndex(head, "("), strings.LastIndex(head, ")")
	if open < 1 || end < open {
		panic("signature: " + line)
	}
	s.name = head[:open]
	ret := strings.TrimSpace(head[end+1:])
	if n, ok := strings.CutPrefix(ret, "="); ok {
		s.same, _ = strconv.Atoi(n)
	} else {
		s.ret = typeByWord(ret, line)
	}
	sigs := []signature{s}
	list := strings.TrimSpace(head[open+1 : end])
	if list == "" {
		return sigs
	}
	for _, arg := range strings.Split(list, ",") {
		arg = strings.TrimSpace(arg)
		arg, variadic := strings.CutSuffix(arg, "...")
		var next []signature
		for _, have := range sigs {
			for _, word := range strings.Split(arg, "|") {
				n := have
				n.args = append(append([]uint32{}, have.args...), typeByWord(word, line))
				n.variadic = variadic
				next = append(next, n)
			}
		}
		sigs = next
	}
	return sigs
}

func typeByWord(word, line string) uint32 {
	if base, ok := strings.CutSuffix(word, "[]"); ok {
		return types.ArrayOf(types.Of(typeByWord(base, line))).OID
	}
	switch word {
	case "elem":
		return types.AnyElement
	case "array":
		return types.AnyArray
	}
	i := types.ByName[word]
	if i == nil {
		panic(fmt.Sprintf("signature %q: no type %q", line, word))
	}
	return i.OID
}

// fill puts the arguments into a template.
func fill(template string, args []string) string {
	var out strings.Builder
	for i := 0; i < len(template); i++ {
		switch c := template[i]; {
		case c == '{':
			j := strings.IndexByte(template[i:], '}') + i
			if key := template[i+1 : j]; key == "*" {
				out.WriteString(strings.Join(args, ", "))
			} else if key == "rest" {
				out.WriteString(strings.Join(args[1:], ", "))
			} else if n, err := strconv.Atoi(key); err == nil && n <= len(args) {
				out.WriteString(args[n-1])
			}
			i = j
		case c == '@' && i+1 < len(template) && template[i+1] >= 'a' && template[i+1] <= 'z':
			j := i + 1
			for j < len(template) && (template[j] == '_' || template[j] >= 'a' && template[j] <= 'z' || template[j] >= '0' && template[j] <= '9') {
				j++
			}
			out.WriteString(enginesql.Macro(template[i+1 : j]))
			i = j - 1
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}
