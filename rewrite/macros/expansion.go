package macros

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Macros say some of their arguments several times, and the engine expands them before it
// plans: calls within calls would grow with every level. BindArguments binds what would grow
// by more than boundWords words, and what must be computed once only, by a list of one:
//
//	list_transform([argument], lambda given: macro(given))[1]
//
// The engine's lambdas take no subqueries, and no columns of an outer query; so all but
// constants are bound then, as fields of given.
const boundWords = 300

// A statement is too complex, as for its depth, that grows by more than grownBytes and a
// hundred times its text while it is printed, by more than grownWords and a hundred times
// its words while the engine expands the macros, or that binds more than boundDepth
// arguments within each other: the engine's time to plan them grows by the square.
const (
	GrownBytes = 1 << 20
	grownWords = 1 << 19
	boundDepth = 128
)

// BindArguments binds the arguments of macros in printed SQL that are too long, or not
// allowed, to be said several times. ok is false if the SQL expands too much all the same.
func BindArguments(sql string) (bound string, ok bool) {
	_, sizes := measuredMacros()
	e := expansion{text: sql, macros: sizes}
	size := e.measure(nil)
	ok = size.words <= grownWords+100*e.plain && size.bound <= boundDepth
	return e.edited(), ok
}

// macroSize is how a macro grows: its words but for the parameters, and how often each
// of these is said.
type macroSize struct {
	words float64
	said  []float64
}

// engineMacros are those of the engine itself that say an argument several times, and are
// used here.
var engineMacros = map[string]macroSize{
	"array_to_string": {words: 30, said: []float64{2, 1}},
	"nullif":          {words: 9, said: []float64{2, 1}},
	"round_even":      {words: 39, said: []float64{3, 3}},
	"split_part":      {words: 30, said: []float64{2, 2, 2}},
}

// measuredMacros are Macros, in whose bodies arguments are bound, too, and their sizes by
// their names.
var measuredMacros = sync.OnceValues(func() (macros []string, sizes map[string]macroSize) {
	sizes = maps.Clone(engineMacros)
	for _, m := range slices.Concat(enginesql.ExpandMacroNames(inputMacros), enginesql.ExpandMacroNames(numericMacros), generalMacros, enginesql.ExpandMacroNames(setMacros), enginesql.ExpandMacroNames(jsonbMacros)) {
		head, body, _ := strings.Cut(m, " AS ")
		name, list, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
		var params []string
		for _, p := range strings.Split(list, ",") {
			params = append(params, strings.TrimSpace(p))
		}
		e := expansion{text: body, macros: sizes}
		size := e.measure(params)
		sizes[enginesql.Macro(name)] = macroSize{words: size.words, said: size.said}
		macros = append(macros, "CREATE OR REPLACE MACRO "+enginesql.MacroSchema+".rw_"+head+" AS "+e.edited())
	}
	return macros, sizes
})

// Volatile are the engine's functions that answer differently each time.
var Volatile = map[string]bool{"random": true, "gen_random_uuid": true, enginesql.SequenceFunction: true, enginesql.EnqueueFunction: true}

// expansion measures SQL, in which macros call macros that are known.
type expansion struct {
	text   string
	macros map[string]macroSize
	plain  float64 // the words of the text before expansion
	edits  []edit
}

// edit replaces a part of the text.
type edit struct {
	from, to int
	text     string
}

// measured is a stretch of SQL with its macros expanded.
type measured struct {
	words  float64   // but for parameters
	said   []float64 // how often each parameter is
	bound  int       // how many arguments are bound within each other
	once   bool      // it has a subquery, or a function of differing
	varies bool      // it is more than a constant
}

func (m *measured) add(inner measured, times float64) {
	m.words += times * inner.words
	for i, said := range inner.said {
		m.said[i] += times * said
	}
	m.bound = max(m.bound, inner.bound)
	m.once = m.once || inner.once
	m.varies = m.varies || inner.varies
}

// argument is one of a macro's, and its place in the text.
type argument struct {
	measured
	from, to int
	given    bool // it is bound if any is
}

// open is a bracket that is open.
type open struct {
	measured            // the size of its text, for a call of a macro in its last argument
	call     string     // what begins the call of a macro
	from     int        // where it begins
	args     []argument // before the last one
	macro    *macroSize // nil for any other bracket
	start    int        // of the last argument
}

func (e *expansion) measure(params []string) measured {
	empty := func() measured { return measured{said: make([]float64, len(params))} }
	stack := []open{{measured: empty()}}
	name, named := "", 0 // the word before, and where it begins
	for i := 0; i < len(e.text); {
		top := &stack[len(stack)-1]
		from := i
		switch c := e.text[i]; {
		case c <= ' ' && c != 0:
			i++
			continue
		case c == 0: // a placeholder
			i += 2 + strings.IndexByte(e.text[i+1:], 0)
		case c == '\'' || c == '"':
			length, _ := syntax.QuotedLength(e.text[i:], false)
			i += length
		case syntax.IsWordByte(c):
			for i < len(e.text) && (syntax.IsWordByte(e.text[i]) || e.text[i] == '.' || e.text[i] == '$') {
				i++
			}
		default:
			i++
		}
		e.plain++
		word := e.text[from:i]
		before := name
		name = ""
		if called, ok := enginesql.OutputMacroOf(word); ok {
			before, named, word = called, from, "("
		}
		switch word {
		case "(", "[", "{":
			o := open{measured: empty(), start: i}
			if size, ok := e.macros[before]; ok {
				o.call, o.from, o.macro = e.text[named:i], named, &size
			}
			stack = append(stack, o)
		case ")", "]", "}":
			if len(stack) == 1 {
				top.words++
				break
			}
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].add(e.closed(top, from), 1)
		case ",":
			if top.macro == nil {
				top.words++
				break
			}
			top.args = append(top.args, argument{measured: top.measured, from: top.start, to: from})
			top.measured, top.start = empty(), i+len(e.text[i:])-len(strings.TrimLeft(e.text[i:], " "))
		default:
			name, named = word, from
			top.words++
			top.once = top.once || word == "SELECT" || Volatile[word]
			top.varies = top.varies || top.once || word[0] == 0 || word[0] == '"' || 'a' <= word[0] && word[0] <= 'z' && !strings.HasPrefix(e.text[i:], "(")
			column, _, _ := strings.Cut(word, ".")
			for p, param := range params {
				if strings.EqualFold(column, param) {
					top.said[p]++
				}
			}
		}
	}
	return stack[0].measured
}

// closed is what a bracket that ends at a place adds to what is around it.
func (e *expansion) closed(o *open, end int) measured {
	if o.macro == nil {
		o.words += 2
		return o.measured
	}
	args := append(o.args, argument{measured: o.measured, from: o.start, to: end})
	said := func(i int) float64 {
		if i < len(o.macro.said) {
			return o.macro.said[i]
		}
		return 1
	}
	all := measured{words: o.macro.words, said: make([]float64, len(o.said))}
	bound := false
	for i := range args {
		a := &args[i]
		grows := said(i) > 1 && (a.once || (said(i)-1)*a.words > boundWords)
		bound = bound || grows
		a.given = grows || a.varies || a.measured.bound > 0 // what is edited cannot be said elsewhere
	}
	for i, a := range args {
		if times := said(i); bound && a.given {
			all.add(a.measured, 1)
		} else {
			all.add(a.measured, times)
		}
	}
	if bound {
		all.bound++
		e.bind(o, args, end)
	}
	return all
}

// bind edits a call so that its arguments but for constants are bound.
func (e *expansion) bind(o *open, args []argument, end int) {
	call := make([]string, len(args))
	var given []int
	for i, a := range args {
		if call[i] = e.text[a.from:a.to]; a.given {
			given = append(given, i)
		}
	}
	at, head, tail := o.from, "list_transform([", "]"
	if len(given) > 1 { // a field that is a call of a macro loses its name, [x][1] is none
		head, tail = head+"{", "][1]}]"
	}
	for _, i := range given {
		call[i] = "given"
		if len(given) > 1 {
			field := "a" + strconv.Itoa(i+1)
			head += "'" + field + "': ["
			call[i] = "given['" + field + "']" // given.a1 would be a column that HAVING has not
		}
		e.edits = append(e.edits, edit{at, args[i].from, head})
		at, head = args[i].to, "][1], "
	}
	e.edits = append(e.edits, edit{at, end + 1, tail + ", lambda given: " + o.call + strings.Join(call, ", ") + "))[1]"})
}

// edited is the text with its edits.
func (e *expansion) edited() string {
	if len(e.edits) == 0 {
		return e.text
	}
	slices.SortStableFunc(e.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	at := 0
	for _, d := range e.edits {
		out.WriteString(e.text[at:d.from])
		out.WriteString(d.text)
		at = d.to
	}
	out.WriteString(e.text[at:])
	return out.String()
}
