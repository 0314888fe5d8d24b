package enginesql

import (
	"slices"
	"strconv"
	"strings"
)

// Piece is a run of SQL, or one placeholder.
type Piece struct {
	Text   string
	Kind   byte // 0 for text
	Number int
	Name   string
	Args   []Operand
	OID    uint32
	Params []int // the parameters of a list; n is its number among Scoped.Lists, 0 where it is in none
}

// Pieces cuts printed SQL at its placeholders.
func Pieces(sql string) []Piece {
	var ps []Piece
	for i, part := range strings.Split(sql, "\x00") {
		if i%2 == 0 {
			if part != "" {
				ps = append(ps, Piece{Text: part})
			}
			continue
		}
		p := Piece{Kind: part[0]}
		switch p.Kind {
		case SessionValue:
			f := strings.Split(part[1:], "\x01")
			oid, _ := strconv.ParseUint(f[0], 10, 32)
			p.OID, p.Name = uint32(oid), f[1]
			for _, text := range f[2:] {
				var arg Operand
				if number, ok := strings.CutPrefix(text, "$"); ok {
					arg.Param, _ = strconv.Atoi(number)
				} else {
					arg.Text, _ = strconv.Unquote(text)
				}
				p.Args = append(p.Args, arg)
			}
		case ParamList:
			f := strings.Split(part[1:], "\x01")
			oid, _ := strconv.ParseUint(f[0], 10, 32)
			p.OID = uint32(oid)
			for _, text := range f[1:] {
				n, _ := strconv.Atoi(text)
				p.Params = append(p.Params, n)
			}
		case CatalogMacro:
			p.Name = part[1:]
		case Output:
			p.Name = part[2 : len(part)-2]
		default:
			p.Number, _ = strconv.Atoi(part[1:])
		}
		ps = append(ps, p)
	}
	return ps
}

// WithoutKeyConditions leaves out the key conditions of the keyed references, whose sources
// have no other rows.
func WithoutKeyConditions(ps []Piece, keyed []int) []Piece {
	if len(keyed) == 0 {
		return ps
	}
	left := make([]Piece, 0, len(ps))
	for i := 0; i < len(ps); i++ {
		if ps[i].Kind == KeyCondition && slices.Contains(keyed, ps[i].Number) {
			i += slices.IndexFunc(ps[i:], func(p Piece) bool { return p.Kind == KeyConditionEnd })
		}
		left = append(left, ps[i])
	}
	return left
}

// ParamNumbers are the numbers of the parameters in pieces, ascending.
func ParamNumbers(ps []Piece) []int {
	var used []int
	for _, p := range ps {
		if p.Kind == Param || p.Kind == ParamText {
			used = append(used, p.Number)
		}
		if p.Number == 0 {
			used = append(used, p.Params...)
		}
	}
	slices.Sort(used)
	return slices.Compact(used)
}
