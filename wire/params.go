package wire

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
)

// maxValue is the maximum size of a parameter value in bytes.
const maxValue = 64 << 20

// readParams checks the parameters of a Bind message against the types of the statement and converts
// them to the text format, nil for NULL. encoding is the client's.
func readParams(m pgproto3.Bind, oids []uint32, encoding *charset.Encoding) ([][]byte, error) {
	if n := len(m.ParameterFormatCodes); n > 1 && n != len(m.Parameters) {
		return nil, errProtocol("bind message has %d parameter formats but %d parameters", n, len(m.Parameters))
	}
	if len(m.Parameters) != len(oids) {
		return nil, errProtocol("bind message supplies %d parameters, but prepared statement %q requires %d",
			len(m.Parameters), m.PreparedStatement, len(oids))
	}
	if err := checkFormatCodes(m.ParameterFormatCodes); err != nil {
		return nil, err
	}
	args := make([][]byte, len(m.Parameters))
	for i, value := range m.Parameters {
		if value == nil {
			continue
		}
		if len(value) > maxValue {
			return nil, pgerr.New(pgerr.ProgramLimitExceeded,
				"parameter $%d of %d bytes exceeds the limit of %d bytes", i+1, len(value), maxValue)
		}
		var err error
		if formatOf(m.ParameterFormatCodes, i) == pgproto3.BinaryFormat {
			args[i], err = binaryToText(i+1, oids[i], value, encoding)
		} else {
			args[i], err = encoding.Decode(value)
		}
		if err != nil {
			return nil, addParameterContext(err, m.DestinationPortal, i+1)
		}
	}
	return args, nil
}

// ParameterError is the error of Statement.Bind for a text that is not valid for the parameter's type.
type ParameterError struct {
	N    int // from 1
	Text string
	Err  error
}

func (e *ParameterError) Error() string { return fmt.Sprintf("parameter $%d: %v", e.N, e.Err) }
func (e *ParameterError) Unwrap() error { return e.Err }

// addPortalContext adds the portal to the context of a ParameterError. Values are not shown, as with
// PostgreSQL's default of log_parameter_max_length_on_error.
func addPortalContext(err error, m *pgproto3.Bind) error {
	var of *ParameterError
	var e *pgerr.Error
	if !errors.As(err, &of) || !errors.As(of.Err, &e) {
		return err
	}
	where := parameterContext(m.DestinationPortal, of.N)
	switch {
	case formatOf(m.ParameterFormatCodes, of.N-1) == pgproto3.BinaryFormat:
	case of.Text == "":
		where += " = ''"
	default:
		where += " = '...'"
	}
	located := *e
	located.Where = joinContext(e.Where, where)
	return &located
}

// addParameterContext adds the parameter and the portal to the context of an error.
func addParameterContext(err error, portal string, n int) error {
	if e := (*pgerr.Error)(nil); errors.As(err, &e) {
		e.Where = parameterContext(portal, n)
	}
	return err
}

// joinContext appends an outer context to the context of an error.
func joinContext(inner, outer string) string {
	if inner == "" {
		return outer
	}
	return inner + "\n" + outer
}

func parameterContext(portal string, n int) string {
	if portal == "" {
		return fmt.Sprintf("unnamed portal parameter $%d", n)
	}
	return fmt.Sprintf("portal \"%s\" parameter $%d", portal, n)
}
