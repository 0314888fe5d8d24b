package rewrite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc"
)

// Holes of the printed SQL that only Bind can fill. A client's text never
// contains NUL, so the marks cannot be forged.
const (
	sourceHole  = 'R' // the source of a reference
	paramHole   = 'P' // a parameter with its final type
	textHole    = 'T' // a parameter as the text that is bound
	listHole    = 'L' // a query for parameters of one type
	sessionHole = 'S' // the value of a session function
	wideHole    = 'W' // a literal that is no numeric of the engine, by its position; none is left in a Scoped
	macroHole   = 'M' // a function of pg_catalog that a cast calls
	outputHole  = 'O' // begins a call that prints a value as text, in the session's style
	orderHole   = 'D' // the DateOrder in which texts are read
	styleHole   = 'I' // 1 where intervals are read as IntervalStyle sql_standard has it
	keysHole    = 'K' // begins a WHERE clause that says what Need.KeyEquals of a reference says
	keysEnd     = 'E' // ends it
)

func hole(kind byte, n int) string { return "\x00" + string(kind) + strconv.Itoa(n) + "\x00" }

// listMark is the hole of a query for parameters of a type.
func listMark(ty typ, params []int) string {
	mark := append([]byte{0, listHole}, strconv.FormatUint(uint64(ty.oid), 10)...)
	for _, n := range params {
		mark = strconv.AppendInt(append(mark, '\x01'), int64(n), 10)
	}
	return string(append(mark, 0))
}

// sessionMark is the hole of a session function: its name and arguments. Those
// that are a client's text may hold any character, so they are quoted.
func sessionMark(name string, args []Operand, oid uint32) string {
	mark := "\x00S" + strconv.FormatUint(uint64(oid), 10) + "\x01" + name
	for _, a := range args {
		if a.Param > 0 {
			mark += "\x01$" + strconv.Itoa(a.Param)
		} else {
			mark += "\x01" + strconv.Quote(a.Text)
		}
	}
	return mark + "\x00"
}

// catalogMacro is the hole of a function that the catalog defines and a cast
// needs: Scope asks the session whether it is there.
func catalogMacro(name string) string { return "\x00" + string(macroHole) + name + "\x00" }

// piece is a run of SQL, or one hole.
type piece struct {
	text string
	kind byte // 0 for text
	n    int
	name string
	args []Operand
	oid  uint32
	list []int // the parameters of a list; n is its number among Scoped.Lists, 0 where it is in none
}

// cut turns printed SQL with marks into pieces.
func cut(sql string) []piece {
	var ps []piece
	for i, part := range strings.Split(sql, "\x00") {
		if i%2 == 0 {
			if part != "" {
				ps = append(ps, piece{text: part})
			}
			continue
		}
		p := piece{kind: part[0]}
		switch p.kind {
		case sessionHole:
			f := strings.Split(part[1:], "\x01")
			oid, _ := strconv.ParseUint(f[0], 10, 32)
			p.oid, p.name = uint32(oid), f[1]
			for _, text := range f[2:] {
				var arg Operand
				if number, ok := strings.CutPrefix(text, "$"); ok {
					arg.Param, _ = strconv.Atoi(number)
				} else {
					arg.Text, _ = strconv.Unquote(text)
				}
				p.args = append(p.args, arg)
			}
		case listHole:
			f := strings.Split(part[1:], "\x01")
			oid, _ := strconv.ParseUint(f[0], 10, 32)
			p.oid = uint32(oid)
			for _, text := range f[1:] {
				n, _ := strconv.Atoi(text)
				p.list = append(p.list, n)
			}
		case macroHole:
			p.name = part[1:]
		case outputHole:
			p.name = part[2 : len(part)-2]
		default:
			p.n, _ = strconv.Atoi(part[1:])
		}
		ps = append(ps, p)
	}
	return ps
}

// Bind prints the engine's SQL. sources[i] is the SQL of reference i: a
// parenthesised SELECT or the name of a table that exposes the columns of
// Needs[i]; it is not looked at. Parameter $i of the SQL is number Used[i-1] of the
// statement, as the engine knows no gaps in their numbers, and those behind are Lists.
//
// keyed are the references whose sources have no row but those of Need.KeyEquals:
// it is not asked for again. Such a source names every parameter of KeyEquals.
func (sc *Scoped) Bind(sources []string, keyed ...int) (string, error) {
	if len(sources) != len(sc.Needs) {
		return "", fmt.Errorf("bind: %d sources for %d references", len(sources), len(sc.Needs))
	}
	return sc.print(without(sc.pieces, keyed), sources, sc.Used)
}

// without leaves out the conditions that the keyed references meet already.
func without(ps []piece, keyed []int) []piece {
	if len(keyed) == 0 {
		return ps
	}
	left := make([]piece, 0, len(ps))
	for i := 0; i < len(ps); i++ {
		if ps[i].kind == keysHole && slices.Contains(keyed, ps[i].n) {
			i += slices.IndexFunc(ps[i:], func(p piece) bool { return p.kind == keysEnd })
		}
		left = append(left, ps[i])
	}
	return left
}

// PointSQL is the SQL of an expression that names reference i's point: a query
// of one row with one text column. Its parameter $i is number used[i-1] of the
// statement. ok is false when the point is no expression.
func (sc *Scoped) PointSQL(i int) (sql string, used []int, ok bool, err error) {
	ps, ok := sc.points[i]
	if !ok {
		return "", nil, false, nil
	}
	used = parametersOf(ps)
	sql, err = sc.print(ps, nil, used)
	return sql, used, true, err
}

// parametersOf are the numbers of the parameters in a run of pieces, ascending.
func parametersOf(ps []piece) []int {
	var used []int
	for _, p := range ps {
		if p.kind == paramHole || p.kind == textHole {
			used = append(used, p.n)
		}
		if p.n == 0 {
			used = append(used, p.list...)
		}
	}
	slices.Sort(used)
	return slices.Compact(used)
}

func (sc *Scoped) print(ps []piece, sources []string, used []int) (string, error) {
	var s strings.Builder
	asked := map[string]int{}
	for _, p := range ps {
		switch p.kind {
		case 0:
			s.WriteString(p.text)
		case sourceHole:
			s.WriteString(sources[p.n])
		case paramHole, textHole:
			place, _ := slices.BinarySearch(used, p.n)
			ty := t(textOID)
			if p.kind == paramHole {
				ty = t(sc.Params[p.n-1])
			}
			text, err := sc.print(cut(paramText(1+place, ty, len(sources) > 0)), nil, nil)
			if err != nil {
				return "", err
			}
			s.WriteString(text)
		case listHole:
			items := "CAST($" + strconv.Itoa(len(used)+p.n) + " AS VARCHAR[])"
			if p.n == 0 {
				texts := make([]string, len(p.list))
				for i, n := range p.list {
					place, _ := slices.BinarySearch(used, n)
					texts[i] = paramText(1+place, t(textOID), len(sources) > 0)
				}
				items = "[" + strings.Join(texts, ", ") + "]"
			}
			query := "SELECT " + fromArgument("item", t(p.oid)) + " FROM (SELECT unnest(" + items + ") AS item)"
			text, err := sc.print(cut(query), nil, nil)
			if err != nil {
				return "", err
			}
			s.WriteString(text)
		case macroHole:
			s.WriteString(macroSchema + "." + p.name)
		case styleHole:
			s.WriteString(map[bool]string{true: "1", false: "0"}[sc.env.Setting("IntervalStyle") == "sql_standard"])
		case orderHole:
			s.WriteString(strconv.Itoa(int(sc.env.DateOrder())))
		case outputHole:
			s.WriteString(outputCall(p.name, sc.env))
		case sessionHole:
			v, err := sc.sessionValue(p, asked)
			if err != nil {
				return "", err
			}
			if v.Null {
				s.WriteString("CAST(NULL AS " + t(p.oid).duck() + ")")
			} else {
				text, err := typedLiteral(v.Text, t(p.oid), pgfunc.TimeInput{})
				if err != nil {
					return "", fmt.Errorf("value of %s: %w", p.name, err)
				}
				s.WriteString(text)
			}
		}
	}
	return s.String(), nil
}

// sessionValue asks the session for the value of a function. One with a NULL
// among its arguments is NULL and not asked for: they all are strict. asked counts the
// calls by their names and arguments.
func (sc *Scoped) sessionValue(p piece, asked map[string]int) (SessionValue, error) {
	var args []string
	for _, a := range p.args {
		if a.Param > 0 {
			v := sc.env.Param(a.Param)
			if v.Null {
				return v, nil
			}
			a.Text = v.Text
		}
		args = append(args, a.Text)
	}
	call := strings.Join(append([]string{p.name}, args...), "\x00")
	asked[call]++
	return sc.env.Session(p.name, args, asked[call]-1)
}

// Locate is the position of the first mention of an identifier in the
// statement, for errors of the engine that name one; 0 if there is none.
func (sc *Scoped) Locate(name string) int { return sc.idents[lower(name)] }
