package formatting

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// numberFunctions write and read numbers by patterns.
var numberFunctions = []fmgr.Function{
	// A number as text, its type (int4, int8, numeric, float4, float8), a pattern.
	{Name: "ontosql_number_chars", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: func() fmgr.Call {
		formats := &fmgr.Cache[*numberFormat]{}
		return func(a []fmgr.Value) (fmgr.Value, error) {
			if a[2].Text == "" {
				return fmgr.TextValue(""), nil
			}
			f, err := formats.Get(a[2].Text, func() (*numberFormat, error) { return parseNumberFormat(a[2].Text) })
			if err != nil {
				return fmgr.Null, err
			}
			return numberChars(*f, a[0].Text, a[1].Text)
		}
	}},
	// A text and a pattern: the number as text.
	{Name: "ontosql_to_number", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: func() fmgr.Call {
		formats := &fmgr.Cache[*numberFormat]{}
		return func(a []fmgr.Value) (fmgr.Value, error) {
			if a[1].Text == "" {
				return fmgr.Null, nil
			}
			f, err := formats.Get(a[1].Text, func() (*numberFormat, error) { return parseNumberFormat(a[1].Text) })
			if err != nil {
				return fmgr.Null, err
			}
			return toNumber(*f, a[0].Text)
		}
	}},
}

// numberWriter is a number on its way through a pattern, as PostgreSQL's
// NUM_processor does it.
type numberWriter struct {
	numberFormat
	number    string // the digits without their sign
	at        int    // the next of them
	relevant  int    // the last of them that FM does not cut off, -1 for no cutting
	negative  bool
	spaces    int // places of the pattern before the first digit
	current   int
	count     int
	begun     bool // a digit has been written
	signed    bool // the sign has been written, or the number has none
	exhausted bool // the pattern has more places than the number digits
	out       strings.Builder
}

func numberChars(f numberFormat, number, kind string) (fmgr.Value, error) {
	w := &numberWriter{numberFormat: f}
	if done, ok, err := w.prepare(number, kind); ok || err != nil {
		return fmgr.TextValue(done), err
	}
	w.start()
	for _, n := range w.nodes {
		if w.exhausted {
			break
		}
		if n.key == "" {
			w.out.WriteString(n.char)
			continue
		}
		w.keyword(n.key)
	}
	return fmgr.TextValue(w.out.String()), nil
}

// prepare rounds the number to the pattern's places. ok is true when done is the
// whole result.
func (w *numberWriter) prepare(number, kind string) (done string, ok bool, err error) {
	special := number == "NaN" || strings.HasSuffix(number, "Infinity")
	floating := kind == "float4" || kind == "float8"
	switch {
	case w.roman:
		w.number = strings.Repeat("#", 15)
		if !special {
			v, err := strconv.ParseInt(roundText(number, 0), 10, 32)
			switch {
			case err != nil && !floating:
				return "", false, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
			case err == nil && v >= 1 && v <= 3999:
				w.number = roman(int(v))
			}
		}
		return "", false, nil
	case w.scientific && special:
		s := []byte(strings.Repeat("#", w.pre+w.post+6))
		s[0], s[w.pre+1] = ' ', '.'
		return string(s), true, nil
	case w.scientific:
		return scientific(number, w.post, floating || kind == "int4"), true, nil
	}
	if w.shifted && !special {
		w.pre += w.multi
		number = shift(number, w.multi)
	} else if w.shifted {
		w.pre += w.multi
	}
	switch {
	case special:
	case floating:
		number = w.roundFloat(number, kind)
	default:
		number = roundText(number, w.post)
	}
	number, w.negative = strings.CutPrefix(number, "-")
	whole, _, _ := strings.Cut(number, ".")
	switch {
	case len(whole) < w.pre:
		w.spaces = w.pre - len(whole)
	case len(whole) > w.pre:
		s := []byte(strings.Repeat("#", w.pre+w.post+1))
		s[w.pre] = '.'
		number = string(s)
	}
	w.number = number
	return "", false, nil
}

// roundFloat rounds to the pattern's places, as far as the type has digits.
func (w *numberWriter) roundFloat(number, kind string) string {
	v, _ := strconv.ParseFloat(number, 64)
	digits := 15
	if kind == "float4" {
		digits = 6
	}
	whole := len(strconv.FormatFloat(math.Abs(v), 'f', 0, 64))
	if whole >= digits {
		w.post = 0
	} else if whole+w.post > digits {
		w.post = digits - whole
	}
	return strconv.FormatFloat(v, 'f', w.post, 64)
}

// shift moves the decimal point of a number to the right.
func shift(number string, places int) string {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return number
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	return r.Mul(r, new(big.Rat).SetInt(scale)).FloatString(40)
}

// roundText writes a number with places behind the point, halves away from zero.
func roundText(number string, places int) string {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return number
	}
	s := r.FloatString(places)
	if strings.HasPrefix(s, "-") && strings.Trim(s, "-0.") == "" {
		s = s[1:]
	}
	return s
}

// scientific writes a number as 1.23e+04 behind a blank or a minus.
func scientific(number string, places int, floating bool) string {
	var s string
	if v, err := strconv.ParseFloat(number, 64); floating && err == nil {
		s = strconv.FormatFloat(v, 'e', places, 64)
	} else {
		x, _, _ := big.ParseFloat(number, 10, 300, big.ToNearestEven)
		s = x.Text('e', places)
	}
	if strings.HasPrefix(s, "-") {
		return s
	}
	return " " + s
}

func roman(n int) string {
	var s strings.Builder
	for _, r := range []struct {
		v int
		s string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; n >= r.v; n -= r.v {
			s.WriteString(r.s)
		}
	}
	return s.String()
}

// start settles the sign and what FM cuts off.
func (w *numberWriter) start() {
	w.relevant = -1
	if w.roman {
		w.numberFormat = numberFormat{nodes: w.nodes, roman: true, fill: w.fill}
		w.spaces = 0
	}
	if w.plus || w.minus {
		w.signed = !w.plus || w.minus
	} else {
		if !w.negative && w.fill {
			w.bracket = false
		}
		w.signed = !w.negative && w.fill && !w.leadS
		if w.lead == signBefore && w.pre == w.preLeadSign {
			w.lead = signBehind
		}
	}
	w.count = w.post + w.pre - 1
	if w.fill && w.decimal {
		w.relevant = lastRelevant(w.number)
		if w.relevant >= 0 && w.zeroEnd > w.spaces {
			w.relevant = max(w.relevant, min(len(w.number)-1, w.zeroEnd-w.spaces))
		}
	}
	if !w.signed && w.spaces == 0 {
		w.count++
	}
}

// lastRelevant is the index of the last digit after the point that is not zero, else of the
// point, -1 without a point.
func lastRelevant(number string) int {
	at := strings.IndexByte(number, '.')
	for i := at + 1; at >= 0 && i < len(number); i++ {
		if number[i] != '0' {
			at = i
		}
	}
	return at
}

func (w *numberWriter) keyword(key string) {
	blank := func(s string, write bool) {
		if write {
			w.out.WriteString(s)
		} else if !w.fill {
			w.out.WriteString(" ")
		}
	}
	switch strings.ToUpper(key) {
	case "9", "0", ".", "D":
		w.digitPlace(key)
	case ",", "G":
		blank(",", w.begun)
	case "L":
		w.out.WriteString(" ")
	case "RN":
		s := w.number
		if key == "rn" {
			s = strings.ToLower(s)
		}
		if !w.fill {
			s = strings.Repeat(" ", max(0, 15-len(s))) + s
		}
		w.out.WriteString(s)
	case "TH":
		if !w.roman && !strings.HasPrefix(w.number, "#") && !w.negative && !w.decimal {
			w.out.WriteString(ordinal(w.number, key))
		}
	case "MI":
		blank("-", w.negative)
	case "PL":
		blank("+", !w.negative)
	case "SG":
		w.out.WriteString(w.signText())
	}
}

func (w *numberWriter) signText() string {
	if w.negative {
		return "-"
	}
	return "+"
}

// leadingZero reports that the digit is a lone 0 before the point, which is
// written as a blank.
func (w *numberWriter) leadingZero() bool {
	return !w.zero && w.at == 0 && strings.HasPrefix(w.number, "0") && w.post != 0
}

func (w *numberWriter) relevantIsPoint() bool {
	return w.relevant >= 0 && w.number[w.relevant] == '.'
}

// digitPlace is one place of a digit or of the point.
func (w *numberWriter) digitPlace(key string) {
	if w.roman {
		return
	}
	w.begun = false
	if !w.signed && (w.current >= w.spaces || w.zero && w.zeroStart == w.current) && (!w.leadingZero() || w.relevantIsPoint()) {
		w.writeSign()
	}
	switch {
	case w.current < w.spaces && (w.zeroStart > w.current || !w.zero):
		if !w.fill {
			w.out.WriteByte(' ')
		}
	case w.zero && w.current < w.spaces && w.zeroStart <= w.current:
		w.out.WriteByte('0')
		w.begun = true
	default:
		w.writeDigit(key)
	}
	end := w.count
	if w.spaces > 0 {
		end++
	}
	if w.decimal {
		end++
	}
	if w.relevant >= 0 && w.relevant == w.at {
		end = w.current
	}
	if w.current+1 == end {
		switch {
		case w.signed && w.bracket && w.negative:
			w.out.WriteByte('>')
		case w.signed && w.bracket:
			w.out.WriteByte(' ')
		case w.leadS && w.lead == signBehind:
			w.out.WriteString(w.signText())
		}
	}
	w.current++
}

func (w *numberWriter) writeSign() {
	switch {
	case w.leadS:
		if w.lead == signBefore {
			w.out.WriteString(w.signText())
			w.signed = true
		}
		return
	case w.bracket && w.negative:
		w.out.WriteByte('<')
	case w.bracket:
		w.out.WriteByte(' ')
	case w.negative:
		w.out.WriteByte('-')
	case !w.fill:
		w.out.WriteByte(' ')
	}
	w.signed = true
}

func (w *numberWriter) writeDigit(key string) {
	switch {
	case w.at >= len(w.number):
		// A float that has fewer digits than the pattern places: what follows is cut off.
		w.exhausted = true
		return
	case w.number[w.at] == '.':
		if !w.relevantIsPoint() || w.fill {
			w.out.WriteByte('.')
		}
	case w.relevant >= 0 && w.at > w.relevant && key != "0":
	case w.leadingZero():
		if !w.fill {
			w.out.WriteByte(' ')
		} else if w.relevantIsPoint() {
			w.out.WriteByte('0')
		}
	default:
		w.out.WriteByte(w.number[w.at])
		w.begun = true
	}
	w.at++
}
