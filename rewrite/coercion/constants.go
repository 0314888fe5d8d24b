package coercion

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Constants are the constants of a list. All are integers or NULL, or all are texts.
type Constants struct {
	In    bool // so far they can be one text
	of    types.Type
	texts []string
}

// textSeparator stands between texts that do not have it.
const textSeparator = "\x1f"

// Add takes a constant that is compared with values of a type.
func (c *Constants) Add(of types.Type, e scope.Expr) {
	if !c.In {
		return
	}
	c.of = of
	switch {
	case types.IsInteger(of.OID) && e.Integer != nil:
		c.texts = append(c.texts, strconv.FormatInt(*e.Integer, 10))
	case types.IsInteger(of.OID) && e.UntypedNull:
		c.texts = append(c.texts, "NULL")
	case (of.OID == types.Text || of.OID == types.Varchar) && e.Literal != nil && !strings.Contains(*e.Literal, textSeparator):
		c.texts = append(c.texts, *e.Literal)
	default:
		c.In = false
	}
}

// Query is a query for the constants.
func (c *Constants) Query() string {
	if types.IsInteger(c.of.OID) {
		return "SELECT unnest(CAST('[" + strings.Join(c.texts, ",") + "]' AS " + c.of.EngineType() + "[]))"
	}
	return "SELECT unnest(string_split(" + enginesql.Literal(strings.Join(c.texts, textSeparator)) + ", '" + textSeparator + "'))"
}

// MinListParams is how many parameters make a list that is given to the engine as one.
const MinListParams = 64

// ParamList are the parameters of a list, which are of one type, or all integers.
type ParamList struct {
	In     bool // so far they can be one list
	Type   types.Type
	Params []int
}

// Add takes an item of the list, as it is compared with a value of type with.
func (p *ParamList) Add(item, compared scope.Expr, with types.Type) {
	if !p.In {
		return
	}
	of := compared.Type
	if types.IsInteger(with.OID) && types.IsInteger(of.OID) { // whichever integers they are
		of = types.Of(types.Int8)
		if types.IsInteger(item.Type.OID) {
			compared = item
		}
	}
	n, err := strconv.Atoi(strings.Trim(compared.SQL, "\x00"+string(enginesql.Param)))
	p.In = err == nil && compared.SQL == enginesql.Placeholder(enginesql.Param, n) && (len(p.Params) == 0 || p.Type.OID == of.OID)
	p.Type, p.Params = of, append(p.Params, n)
}
