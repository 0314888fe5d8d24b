package rewrite

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
)

// digits is what is known of a numeric before it is computed. The zero value is
// nothing.
type digits struct {
	whole, frac int // of the engine's DECIMAL, before and behind the point; both 0 where that is not known
	shown       int // behind the point, as PostgreSQL shows every value: zeros are added to those of the engine
}

// A quotient of the engine (numericMacros), what is computed in floating point, and
// what has as many digits as there are.
var (
	columnDigits    = digits{whole: maxWhole, frac: maxFraction}
	quotientDigits  = digits{whole: 18, frac: 20}
	statisticDigits = digits{whole: 22, frac: 16, shown: 16}
	wholeDigits     = digits{whole: maxDigits}
)

// significant are the digits that PostgreSQL gives results that are not exact
// (NUMERIC_MIN_SIG_DIGITS).
const significant = 16

// maxDigits are the digits that the engine's widest decimal has.
const maxDigits = 38

func (d digits) known() bool { return d.whole+d.frac > 0 }

// decimal is the engine's DECIMAL of a scale that has the most digits before the point.
func decimal(scale int) string { return "DECIMAL(38," + strconv.Itoa(scale) + ")" }

// How the digits of a numeric are shown that are not those of digits.shown.
const (
	shownByValue    = -1 - iota // those that it has, without zeros
	shownAsQuotient             // 16 that count
	shownUnknown
)

// look is how many digits are shown, or one of the above.
func (d digits) look() int {
	switch {
	case !d.known():
		return shownUnknown
	case d.frac == quotientDigits.frac:
		return shownAsQuotient
	case d.frac > 0 && d.shown == 0:
		return shownByValue
	}
	return d.shown
}

// out is the text of the expression.
func (e expr) out() string {
	switch {
	case e.printed != "":
		return e.printed
	case e.row != nil:
		return rowTextOf(shownRow(e), e.t)
	}
	return textOf(e.sql, e.t)
}

// output is the text that a client would be sent.
func (e expr) output() string {
	if e.printed != "" || e.row != nil {
		return e.out()
	}
	return outputOf(e.sql, e.t)
}

// operand is the expression as functions of Go take a numeric: its text, and how many of
// the digits behind the point are shown, be they zeros; -1 for all that are there.
func (e expr) operand() string {
	if e.printed != "" {
		return e.printed + ", -1"
	}
	return "CAST(" + e.sql + " AS VARCHAR), " + strconv.Itoa(e.t.digits().shown)
}

// printedBranches are the texts of branches that are numerics of different looks; nil
// for all others.
func printedBranches(es []expr) []string {
	texts, looks := make([]string, len(es)), map[int]bool{}
	for i, e := range es {
		switch {
		case e.null:
			texts[i] = "NULL"
			continue
		case e.t.oid != numericOID && !isInt(e.t.oid), e.wide != "":
			return nil
		case e.printed != "":
			looks[shownUnknown-1-i] = true
		}
		texts[i] = e.out()
		looks[e.t.digits().look()] = true
	}
	if len(looks) < 2 {
		return nil
	}
	return texts
}

// printed is the text that a function of Go makes of numerics, within the cast to the
// number of type ty that the engine goes on with; "" of all else.
func printed(sql string, ty typ) string {
	text, ok := strings.CutPrefix(sql, "CAST(")
	if !ok || !strings.HasPrefix(text, "ontosql_numeric_") || ty.oid != numericOID {
		return ""
	}
	return text[:strings.LastIndex(text, " AS DECIMAL(")]
}

// sameScale reports whether there are numerics, and all show as many digits.
func sameScale(types []typ) bool {
	for _, t := range types {
		if d := t.digits(); !d.known() || d.shown != types[0].digits().shown {
			return false
		}
	}
	return len(types) > 0
}

// capped is a decimal that computing makes, which has 38 digits and not more: its
// scale is kept.
func capped(whole, frac, shown int) digits {
	return digits{whole: max(min(whole, maxDigits-frac), 0), frac: frac, shown: shown}
}

// storedDigits are those of a column of the engine, which has 38 where it does not say.
func storedDigits(c column.Type) digits {
	if c.Width == 0 {
		return columnDigits
	}
	return digits{whole: int(c.Width) - int(c.Scale), frac: int(c.Scale)}
}

// typeOf is the type of column i. One that was declared as numeric(p,s) shows s digits;
// old rows and those of other writers may have more.
func (s *Shape) typeOf(i int) typ {
	ty := columnType(s.Columns[i].Type)
	if mod := s.Typmods[s.Columns[i].Name]; ty.oid == numericOID && mod >= 4 {
		ty.num.shown = declaredDigits(mod).shown
	}
	return ty
}

// digits is what is known of a numeric, of the elements of an array of them, and of an
// integer that stands beside one.
func (t typ) digits() digits {
	if elem, ok := t.elem(); ok {
		t = elem
	}
	switch {
	case t.oid == numericOID && t.mod >= 4:
		return declaredDigits(t.mod)
	case t.oid == numericOID:
		return t.num
	}
	return digits{whole: integerDigits[t.oid]}
}

// read is what is known of a value that is read as the type or cast to it.
func (t typ) read() digits {
	if t.oid != numericOID {
		return digits{}
	}
	if t.mod >= 4 {
		return declaredDigits(t.mod)
	}
	return columnDigits
}

// scaled brings a numeric, or an array of them, to a decimal of 38 digits.
func (e expr) scaled(d digits) expr {
	duck := decimal(d.frac)
	if e.t.isArray() {
		duck += "[]"
	}
	e.sql, e.t.num = "CAST("+e.sql+" AS "+duck+")", d
	return e
}

// declaredDigits are those of numeric(p,s).
func declaredDigits(mod int32) digits {
	precision, scale := numericMod(mod)
	return digits{whole: int(precision - scale), frac: int(scale), shown: int(scale)}
}

// meet is what numerics become where they are one column, array or branch. The engine
// takes digits behind the point off where there are more than 38 in all: then cut is
// the scale that each of them must be brought to, and where the digits before the
// point have no room in the rest, the engine raises an error.
func meet(types []typ) (d digits, cut bool) {
	known, counted := true, true
	for _, t := range types {
		n := t.digits()
		known = known && n.known()
		counted = counted && (n.shown > 0 || n.frac == 0)
		d.whole, d.frac, d.shown = max(d.whole, n.whole), max(d.frac, n.frac), max(d.shown, n.shown)
	}
	if !known || !counted {
		d.shown = 0 // each value of one of them has its own
	}
	switch {
	case !known:
		return digits{}, false
	case d.whole+d.frac > maxDigits:
		return capped(d.whole, d.frac, d.shown), true
	}
	return d, false
}

// shorten leaves out zeros at the end of factors: with more than roomy digits behind the
// point their product has too few before it. A product keeps twelve digits, and what is
// known to show some keeps those; a quotient has no zeros to leave out.
func shorten(factors []expr) {
	const roomy = 28
	if factors[0].t.digits().frac+factors[1].t.digits().frac <= roomy {
		return
	}
	for i, f := range factors {
		d := f.t.digits()
		left := d.frac
		switch {
		case d.frac >= 2*maxFraction:
			left = max(maxFraction, min(d.shown, d.frac))
		case d.frac == maxFraction && d.shown > 0:
			left = d.shown
		}
		if left < d.frac {
			factors[i].sql = macro("shortened") + "(" + f.sql + ", CAST(0 AS " + decimal(left) + "))"
			factors[i].t.num = capped(d.whole+d.frac, left, min(d.shown, left))
		}
	}
}

// digitsOf is what is known of the numeric that an operator or a function makes of
// its arguments, as the engine types it (numericMacros, and its own arithmetic) and
// PostgreSQL shows it (numeric.c).
func digitsOf(name string, args []expr) digits {
	var a, c digits
	if len(args) > 0 {
		a = args[0].t.digits()
	}
	if len(args) > 1 {
		c = args[1].t.digits()
	}
	shown := max(a.shown, c.shown)
	unknown := digits{shown: shown}
	switch {
	case name == "/", name == "avg":
		d := quotientDigits
		d.shown = shown
		return d
	case name == "stddev", name == "stddev_samp", name == "stddev_pop", name == "variance", name == "var_samp", name == "var_pop":
		return statisticDigits
	case name == "^", name == "power", name == "pow", name == "exp", name == "ln", name == "log", name == "log10":
		return statisticDigits
	case name == "sqrt":
		return digits{whole: 23, frac: 15, shown: significant - 1}
	case name == "factorial", name == "div":
		return wholeDigits
	case name == "sign":
		return digits{whole: 18}
	case name == "to_number", name == "trim_scale":
		return columnDigits
	case (name == "round" || name == "trunc") && len(args) == 2:
		n := args[1].int
		switch {
		case n != nil && *n >= 0 && *n <= writtenMost: // writtenDigits
			scale := int(*n)
			return digits{whole: min(maxWhole+scale, 37) - scale, frac: scale, shown: scale}
		case a.known():
			frac := max(a.frac, maxFraction)
			return capped(max(a.whole, maxWhole)+1, frac, 0)
		}
		return digits{}
	case !a.known() || len(args) == 2 && !c.known():
		if name == "*" {
			unknown.shown = a.shown + c.shown
		}
		return unknown
	}
	switch name {
	case "+", "-":
		if len(args) == 1 {
			return a
		}
		return capped(max(a.whole, c.whole)+1, max(a.frac, c.frac), shown)
	case "*":
		return capped(a.whole+c.whole, a.frac+c.frac, a.shown+c.shown)
	case "%", "mod":
		return capped(max(a.whole, c.whole)+1, max(a.frac, c.frac), shown)
	case "abs", "@":
		return a
	case "round", "trunc", "ceil", "ceiling", "floor":
		return digits{whole: a.whole + a.frac}
	case "sum":
		if isInt(args[0].t.oid) {
			return columnDigits
		}
		return digits{whole: maxDigits - a.frac, frac: a.frac, shown: a.shown}
	}
	return unknown
}
