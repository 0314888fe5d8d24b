package rewrite

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// constants are the constants of a list. All are integers or NULL, or all are texts.
type constants struct {
	in    bool // so far they can be one text
	of    types.Type
	texts []string
}

// textSeparator stands between texts that do not have it.
const textSeparator = "\x1f"

// add takes a constant that is compared with values of a type.
func (c *constants) add(of types.Type, e scope.Expr) {
	if !c.in {
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
		c.in = false
	}
}

// query is a query for the constants.
func (c *constants) query() string {
	if types.IsInteger(c.of.OID) {
		return "SELECT unnest(CAST('[" + strings.Join(c.texts, ",") + "]' AS " + c.of.EngineType() + "[]))"
	}
	return "SELECT unnest(string_split(" + enginesql.Literal(strings.Join(c.texts, textSeparator)) + ", '" + textSeparator + "'))"
}

// longParameters is how many parameters make a list that is given to the engine as one.
const longParameters = 64

// parameterList are the parameters of a list, which are of one type, or all integers.
type parameterList struct {
	in     bool // so far they can be one list
	of     types.Type
	params []int
}

// add takes an item of the list, as it is compared with a value of type with.
func (p *parameterList) add(item, compared scope.Expr, with types.Type) {
	if !p.in {
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
	p.in = err == nil && compared.SQL == enginesql.Placeholder(enginesql.Param, n) && (len(p.params) == 0 || p.of.OID == of.OID)
	p.of, p.params = of, append(p.params, n)
}
