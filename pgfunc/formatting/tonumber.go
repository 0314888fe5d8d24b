package formatting

import (
	"math/big"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// numberReader is a text that is read by a pattern of numbers.
type numberReader struct {
	numberFormat
	rest      string
	sign      byte // ' ' while none was read
	digits    strings.Builder
	pre, post int  // digits read
	pointed   bool // a point was read
	begun     bool
}

func toNumber(f numberFormat, s string) (fmgr.Value, error) {
	if f.roman {
		return fmgr.Null, pgerr.Unsupported("\"RN\" not supported for input")
	}
	if f.scientific {
		return fmgr.Null, pgerr.Unsupported("\"EEEE\" not supported for input")
	}
	if f.lead == signBefore && f.pre == f.preLeadSign {
		f.lead = signBehind
	}
	r := &numberReader{numberFormat: f, rest: s, sign: ' '}
	for _, n := range r.nodes {
		if r.rest == "" {
			break
		}
		r.keyword(n)
	}
	number := string(r.sign) + strings.TrimSuffix(r.digits.String(), ".")
	v, ok := new(big.Rat).SetString(strings.TrimSpace(number))
	if !ok {
		return fmgr.Null, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type numeric: %q", number)
	}
	if f.shifted {
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.multi)), nil)
		return fmgr.TextValue(v.Quo(v, new(big.Rat).SetInt(scale)).FloatString(max(16, r.post))), nil
	}
	return fmgr.TextValue(v.FloatString(r.post)), nil
}

func (r *numberReader) keyword(n node) {
	switch strings.ToUpper(n.key) {
	case "9", "0", ".", "D":
		r.place(n.key)
	case ",", "G":
		if !r.begun && r.fill || r.rest[0] != ',' {
			return
		}
		r.rest = r.rest[1:]
	case "MI", "PL", "SG":
		if c := r.rest[0]; r.sign == ' ' && (c == '-' || c == '+') {
			r.sign, r.rest = c, r.rest[1:]
			return
		}
		r.skip(1)
	case "L":
		r.skip(1)
	case "TH":
		r.skip(2)
	case "":
		_, r.rest = chars.First(r.rest)
	}
}

// skip passes over characters that belong to no number.
func (r *numberReader) skip(n int) {
	for ; n > 0 && r.rest != "" && !strings.Contains("0123456789.,+-", r.rest[:1]); n-- {
		_, r.rest = chars.First(r.rest)
	}
}

func (r *numberReader) place(key string) {
	r.rest = strings.TrimPrefix(r.rest, " ")
	if r.rest == "" {
		return
	}
	if r.sign == ' ' && (key == "0" || key == "9") && r.pre+r.post == 0 {
		switch c := r.rest[0]; {
		case c == '-', c == '<' && r.bracket:
			r.sign, r.rest = '-', r.rest[1:]
		case c == '+':
			r.sign, r.rest = '+', r.rest[1:]
		}
	}
	if r.rest == "" {
		return
	}
	read := false
	switch c := r.rest[0]; {
	case chars.IsDigit(c):
		if r.pointed && r.post == r.numberFormat.post {
			r.rest = r.rest[1:]
			return
		}
		r.digits.WriteByte(c)
		if r.pointed {
			r.post++
		} else {
			r.pre++
		}
		read = true
	case r.decimal && !r.pointed && c == '.':
		r.digits.WriteByte('.')
		r.pointed, read = true, true
	}
	if r.sign == ' ' && r.pre+r.post > 0 {
		switch {
		case r.leadS && read && len(r.rest) > 1 && (r.rest[1] == '-' || r.rest[1] == '+'):
			r.sign = r.rest[1]
			r.rest = r.rest[1:]
		case !read && !r.leadS && (r.plus || r.minus) && (r.rest[0] == '-' || r.rest[0] == '+'):
			r.sign = r.rest[0]
		}
	}
	r.begun = r.begun || read
	r.rest = r.rest[1:]
}
