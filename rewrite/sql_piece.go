package rewrite

import (
	"slices"
	"strconv"
	"strings"
)

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
