package rewrite

import (
	"strconv"
	"strings"
)

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

// typeOf is the type of column i. One that was declared as numeric(p,s) shows s digits;
// old rows and those of other writers may have more.
func (s *Shape) typeOf(i int) typ {
	ty := columnType(s.Columns[i].Type)
	if mod := s.Typmods[s.Columns[i].Name]; ty.oid == numericOID && mod >= 4 {
		ty.num.shown = declaredDigits(mod).shown
	}
	return ty
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
