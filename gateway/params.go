package gateway

import (
	"errors"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/wire"
)

// oidText is PostgreSQL's OID of the type text (src/include/catalog/pg_type.dat).
const oidText = 25

// readArguments reads the parameters, in PostgreSQL's text form, as values of their types. An
// invalid text is an error at Bind, as in PostgreSQL. The error of a value in a list of rows
// names its cell.
func (p *statement) readArguments(args [][]byte) ([][]byte, error) {
	out := make([][]byte, len(args))
	for i, arg := range args {
		oid := p.oids
		if p.plan != nil {
			oid = p.plan.Scoped.Params
		}
		text, err := input.Argument(oid[i], arg, p.session.TimeInput())
		if err != nil && oid[i] == types.Numeric {
			if any, ok := input.NumberText(string(arg)); ok {
				text, err = []byte(any), nil // withFinerNumbers plans it as a constant
			}
		}
		if err != nil {
			return nil, p.inArgument(i+1, string(arg), err)
		}
		out[i] = text
	}
	return out, nil
}

// inArgument says which parameter an error is about, of a write the cell it is for.
func (p *statement) inArgument(n int, text string, err error) error {
	var e *pgerr.Error
	if p.plan == nil || p.plan.Write == nil || !errors.As(err, &e) {
		return &wire.ParameterError{N: n, Text: text, Err: err}
	}
	w := p.plan.Write
	row, column, ok := w.Scoped.ParamCell(n)
	if !ok {
		return &wire.ParameterError{N: n, Text: text, Err: err}
	}
	located := *e
	located.WithColumn(w.TargetColumn(column)).Within(w.Scoped.Where(row, column))
	return &located
}
