package rewrite

import (
	"strconv"
	"strings"
)

// longList is how many constants make a list that is given to the engine as one text.
// It takes 8 µs and a kibibyte to plan a constant, and hears no cancel meanwhile.
const longList = 10_000

// constants are the constants of a list. All are integers or NULL, or all are texts.
type constants struct {
	in    bool // so far they can be one text
	of    typ
	texts []string
}

// textSeparator stands between texts that do not have it.
const textSeparator = "\x1f"

// add takes a constant that is compared with values of a type.
func (c *constants) add(of typ, e expr) {
	if !c.in {
		return
	}
	c.of = of
	switch {
	case isInt(of.oid) && e.int != nil:
		c.texts = append(c.texts, strconv.FormatInt(*e.int, 10))
	case isInt(of.oid) && e.null:
		c.texts = append(c.texts, "NULL")
	case (of.oid == textOID || of.oid == varcharOID) && e.lit != nil && !strings.Contains(*e.lit, textSeparator):
		c.texts = append(c.texts, *e.lit)
	default:
		c.in = false
	}
}

// query is a query for the constants.
func (c *constants) query() string {
	if isInt(c.of.oid) {
		return "SELECT unnest(CAST('[" + strings.Join(c.texts, ",") + "]' AS " + c.of.duck() + "[]))"
	}
	return "SELECT unnest(string_split(" + literal(strings.Join(c.texts, textSeparator)) + ", '" + textSeparator + "'))"
}
