package functions

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Signature is one overload of a function or operator of PostgreSQL and the
// engine's SQL for it.
type Signature struct {
	Name        string
	Args        []uint32
	Variadic    bool           // the last argument may be repeated
	Result      uint32         // anyelement and anyarray follow the arguments
	SameAs      int            // the result has the type of argument same-1; 0: ret
	ReturnsSet  bool           // returns rows
	Aggregate   bool           // an aggregate
	Window      bool           // a window function
	Volatile    bool           // answers differently each time
	Numeric     types.Digits   // what anyelement has where it is numeric
	RawJSONArgs bool           // its arguments become JSON in wrap, not before
	Row         *types.RowType // of a function that returns a row
	Template    string         // {1} {2} ... the arguments, {*} all of them, @name a macro; "" is name({*})
	Wrap        string         // what stands around the call of an aggregate or window function, {agg}, or a row of a set, {set}
}

// parseSignatures reads a table of overloads, one a line:
//
//	[agg|win|set|volatile] name(type|type, type...) result [= template] [=> wrap]
//
// a|b makes an overload for each, as a name a function of each: {name} is its name in
// the template. =1 as result means "as argument 1"; "..." after the last type makes it
// variadic. The template of a set is the list of its rows.
func parseSignatures(table string) map[string][]Signature {
	all := map[string][]Signature{}
	for _, line := range strings.Split(table, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		for _, one := range eachName(line) {
			for _, s := range parseSignature(one) {
				all[s.Name] = append(all[s.Name], s)
				if w, ok := s.ofWide(); ok {
					all[s.Name] = append(all[s.Name], w)
				}
			}
		}
	}
	return all
}

// ofWide is the overload for wide numerics of a function that is computed with the texts of numerics. ok
// is false for others.
func (s Signature) ofWide() (w Signature, ok bool) {
	call, ok := strings.CutPrefix(s.Template, "CAST(ontosql_numeric_")
	end := strings.LastIndex(call, " AS DECIMAL(")
	if !ok || end < 0 || s.Aggregate || s.Result != types.Numeric || !strings.Contains(call, "@shown_out(") {
		return w, false
	}
	for _, a := range s.Args {
		if a == types.Numeric {
			a = types.WideNumeric
		}
		w.Args = append(w.Args, a)
	}
	w.Name, w.Result, w.Template = s.Name, types.WideNumeric, "ontosql_wide_in(ontosql_numeric_"+call[:end]+")"
	return w, true
}

// functionNames matches the names of functions in a line. Operators have no list of names: | is
// one of them.
var functionNames = regexp.MustCompile(`^((?:\w+ )?)(\w+(?:\|\w+)+)\(`)

// eachName are the lines that one line with a list of names stands for.
func eachName(line string) []string {
	m := functionNames.FindStringSubmatch(line)
	if m == nil {
		return []string{line}
	}
	var out []string
	for _, name := range strings.Split(m[2], "|") {
		out = append(out, m[1]+name+strings.ReplaceAll(line[len(m[1])+len(m[2]):], "{name}", name))
	}
	return out
}

func parseSignature(line string) []Signature {
	var s Signature
	head, wrap, _ := strings.Cut(line, " => ")
	s.Wrap = enginesql.ExpandMacroNames([]string{strings.TrimSpace(wrap)})[0]
	head, template, _ := strings.Cut(head, " = ")
	s.Template = strings.TrimSpace(template)
	head = strings.TrimSpace(head)
	for _, word := range []struct {
		text string
		flag *bool
	}{{"agg ", &s.Aggregate}, {"win ", &s.Window}, {"set ", &s.ReturnsSet}, {"volatile ", &s.Volatile}} {
		if strings.HasPrefix(head, word.text) {
			*word.flag, head = true, strings.TrimPrefix(head, word.text)
		}
	}
	open, end := strings.LastIndex(head, "("), strings.LastIndex(head, ")")
	if open < 1 || end < open {
		panic("signature: " + line)
	}
	s.Name = head[:open]
	ret := strings.TrimSpace(head[end+1:])
	if n, ok := strings.CutPrefix(ret, "="); ok {
		s.SameAs, _ = strconv.Atoi(n)
	} else {
		s.Result = typeByWord(ret, line)
	}
	sigs := []Signature{s}
	list := strings.TrimSpace(head[open+1 : end])
	if list == "" {
		return sigs
	}
	for _, arg := range strings.Split(list, ",") {
		arg = strings.TrimSpace(arg)
		arg, variadic := strings.CutSuffix(arg, "...")
		var next []Signature
		for _, have := range sigs {
			for _, word := range strings.Split(arg, "|") {
				n := have
				n.Args = append(append([]uint32{}, have.Args...), typeByWord(word, line))
				n.Variadic = variadic
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
	case "wide":
		return types.WideNumeric
	}
	i := types.ByName[word]
	if i == nil {
		panic(fmt.Sprintf("signature %q: no type %q", line, word))
	}
	return i.OID
}

// FillTemplate puts the arguments into a template.
func FillTemplate(template string, args []string) string {
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
