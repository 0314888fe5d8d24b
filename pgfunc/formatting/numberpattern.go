package formatting

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// numberKeywords are the keywords of patterns of numbers (manual, table 9.30), in
// the order in which they are tried.
var numberKeywords = withLower([]string{
	",", ".", "0", "9", "B", "C", "D", "EEEE", "FM", "G", "L", "MI", "PL", "PR", "RN", "SG", "SP", "S", "TH", "V",
})

// leadSign says where S puts the sign.
type leadSign int

const (
	noLeadSign leadSign = iota
	signBefore
	signBehind
)

// numberFormat is what a pattern says of a number as a whole.
type numberFormat struct {
	nodes                                []node
	pre, post, multi                     int // places before and behind the point, and those that V shifts by
	zeroStart, zeroEnd, preLeadSign      int
	lead                                 leadSign
	zero, decimal, fill, leadS           bool
	minus, plus, bracket, roman, shifted bool
	scientific                           bool
}

func malformed(format string, args ...any) error {
	return pgerr.New(pgerr.SyntaxError, format, args...)
}

func parseNumberFormat(p string) (*numberFormat, error) {
	f := &numberFormat{nodes: parsePattern(p, numberKeywords, false)}
	for _, n := range f.nodes {
		if n.key == "" {
			continue
		}
		if err := f.add(strings.ToUpper(n.key)); err != nil {
			return nil, err
		}
	}
	if f.zeroStart > 0 {
		f.zeroStart--
	}
	return f, nil
}

func (f *numberFormat) add(key string) error {
	if f.scientific && key != "EEEE" {
		return malformed("\"EEEE\" must be the last pattern used")
	}
	switch key {
	case "9":
		if f.bracket {
			return malformed("\"9\" must be ahead of \"PR\"")
		}
		f.digit()
	case "0":
		if f.bracket {
			return malformed("\"0\" must be ahead of \"PR\"")
		}
		if !f.zero && !f.decimal {
			f.zero, f.zeroStart = true, f.pre+1
		}
		if f.decimal {
			f.post++
		} else {
			f.pre++
		}
		f.zeroEnd = f.pre + f.post
	case ".", "D":
		if f.decimal {
			return malformed("multiple decimal points")
		}
		if f.shifted {
			return malformed("cannot use \"V\" and decimal point together")
		}
		f.decimal = true
	case "FM":
		f.fill = true
	case "S", "MI", "PL", "SG", "PR":
		return f.addSign(key)
	case "RN":
		f.roman = true
	case "V":
		if f.decimal {
			return malformed("cannot use \"V\" and decimal point together")
		}
		f.shifted = true
	case "EEEE":
		if f.scientific {
			return malformed("cannot use \"EEEE\" twice")
		}
		if f.fill || f.leadS || f.bracket || f.minus || f.plus || f.roman || f.shifted {
			return pgerr.New(pgerr.SyntaxError, "\"EEEE\" is incompatible with other formats").
				WithDetail("\"EEEE\" may only be used together with digit and decimal point patterns.")
		}
		f.scientific = true
	}
	return nil
}

func (f *numberFormat) digit() {
	switch {
	case f.shifted:
		f.multi++
	case f.decimal:
		f.post++
	default:
		f.pre++
	}
}

func (f *numberFormat) addSign(key string) error {
	switch key {
	case "S":
		switch {
		case f.leadS:
			return malformed("cannot use \"S\" twice")
		case f.plus || f.minus || f.bracket:
			return malformed("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together")
		}
		f.leadS = true
		switch {
		case !f.decimal:
			f.lead, f.preLeadSign = signBefore, f.pre
		case f.lead == noLeadSign:
			f.lead = signBehind
		}
	case "PR":
		if f.leadS || f.plus || f.minus {
			return malformed("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together")
		}
		f.bracket = true
	default:
		if f.leadS {
			return malformed("cannot use \"S\" and %q together", key)
		}
		f.minus = f.minus || key != "PL"
		f.plus = f.plus || key != "MI"
	}
	return nil
}
