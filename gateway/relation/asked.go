package relation

import (
	"time"

	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// Asked is what a statement asks of a relation of the schema ontosql. args are its parameters. A
// condition whose value cannot be read is left out; the engine finds what is wrong with it.
func Asked(need scope.Need, args [][]byte, in datetime.TimeInput, zone *time.Location) introspect.Asked {
	a := introspect.Asked{Columns: need.Columns, Equals: map[string][]string{}}
	for column, operands := range need.KeyEquals {
		var values []string
		for _, o := range operands {
			if text, ok := operandText(o, args); ok { // no row equals NULL
				values = append(values, text)
			}
		}
		a.Equals[column] = append([]string{}, values...)
	}
	for _, b := range need.Times {
		text, ok := operandText(b.Operand, args)
		if !ok {
			continue
		}
		at, err := datetime.ReadMoment(text, in, zone)
		if err != nil || at.Infinite != 0 {
			continue
		}
		switch {
		case !b.Upper && at.Time.After(a.From):
			a.From = at.Time
		case b.Upper && (a.To.IsZero() || at.Time.Before(a.To)):
			a.To = at.Time
		}
	}
	return a
}

// operandText is the text of an operand, false for NULL.
func operandText(o enginesql.Operand, args [][]byte) (string, bool) {
	if o.Param == 0 {
		return o.Text, true
	}
	if o.Param > len(args) || args[o.Param-1] == nil {
		return "", false
	}
	return string(args[o.Param-1]), true
}
