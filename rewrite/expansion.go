package rewrite

import (
	"strings"
	"sync"
)

// Templates and macros say some of their arguments several times, so that calls within
// calls grow with every level. A statement is too complex, as for its depth, that grows
// by more than grownBytes and a hundred times its text while it is printed, or by more
// than grownWords and a hundred times its words while the engine expands the macros.
const (
	grownBytes = 1 << 20
	grownWords = 1 << 19
)

// grown says whether the SQL of an expression has grown too much.
func (b *binder) grown(sql string) bool { return len(sql) > grownBytes+100*len(b.st.SQL) }

// expands says whether printed SQL expands too much.
func expands(sql string) bool {
	e := expansion{text: sql, macros: macroSizes()}
	words := e.measure(nil)
	return words.all > grownWords+100*words.plain
}

// macroSize is how a macro grows: its words but for the parameters, and how often each
// of these is said.
type macroSize struct {
	words float64
	said  []float64
}

// macroSizes are those of Macros, by their names.
var macroSizes = sync.OnceValue(func() map[string]macroSize {
	// The engine binds the arguments of a function with a lambda twice.
	twice := macroSize{said: []float64{2, 2}}
	sizes := map[string]macroSize{"list_transform": twice, "list_filter": twice, "list_reduce": twice}
	for _, m := range Macros() {
		head, body, _ := strings.Cut(strings.TrimPrefix(m, "CREATE OR REPLACE MACRO "), " AS ")
		name, list, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
		var params []string
		for _, p := range strings.Split(list, ",") {
			params = append(params, strings.TrimSpace(p))
		}
		e := expansion{text: body, macros: sizes}
		size := e.measure(params)
		sizes[name] = macroSize{words: size.all, said: size.said}
	}
	return sizes
})

// expansion measures SQL, in which macros call macros that are known.
type expansion struct {
	text   string
	macros map[string]macroSize
}

// measured are the words of a text as it stands and with its macros expanded, but for
// parameters: how often each of these is said.
type measured struct {
	plain, all float64
	said       []float64
}

// open is a bracket that is open: how often what stands in it is said, and in a call of
// a macro which argument that is.
type open struct {
	times float64 // of the bracket
	macro macroSize
	arg   int
}

func (o *open) inside() float64 {
	if o.arg < len(o.macro.said) {
		return o.times * o.macro.said[o.arg]
	}
	return o.times
}

func (e *expansion) measure(params []string) measured {
	m := measured{said: make([]float64, len(params))}
	stack := []open{{times: 1}}
	call := macroSize{} // the macro whose name stands before the next bracket
	for i := 0; i < len(e.text); {
		top := &stack[len(stack)-1]
		times := top.inside()
		from := i
		switch c := e.text[i]; {
		case c <= ' ':
			i++
			continue
		case c == '\'' || c == '"':
			length, _ := quoted(e.text[i:], false)
			i += length
		case inWord(c):
			for i < len(e.text) && (inWord(e.text[i]) || e.text[i] == '.' || e.text[i] == '$') {
				i++
			}
		default:
			i++
		}
		m.plain++
		word := e.text[from:i]
		before := call
		call = macroSize{}
		switch word {
		case "(", "[", "{":
			stack = append(stack, open{times: times, macro: before})
			m.all += times * (1 + before.words)
			continue
		case ")", "]", "}":
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case ",":
			top.arg++
		default:
			call = e.macros[word]
			name, _, _ := strings.Cut(word, ".")
			for p, param := range params {
				if strings.EqualFold(name, param) {
					m.said[p] += times
				}
			}
		}
		m.all += times
	}
	return m
}
