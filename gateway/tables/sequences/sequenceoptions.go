package sequences

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// SetOptions gives a sequence the options of a statement, as PostgreSQL's init_params does.
func SetOptions(q *workspace.Sequence, o *ddlstmt.SequenceOptions, state makeState) error {
	created := q.State == nil
	invalid := func(format string, args ...any) error { return pgerr.New(pgerr.InvalidParameterValue, format, args...) }
	resetMin, resetMax := created, created
	switch {
	case o.Type != nil:
		if !types.IsInteger(o.Type.OID) {
			return invalid("sequence type must be smallint, integer, or bigint")
		}
		if !created {
			least, most := workspace.SequenceRange(q.Type)
			resetMin, resetMax = q.Min == least, q.Max == most
		}
		q.Type = o.Type.OID
	case created:
		q.Type = types.Int8
	}
	switch {
	case o.Increment != nil && *o.Increment == 0:
		return invalid("INCREMENT must not be zero")
	case o.Increment != nil:
		q.Increment = *o.Increment
	case created:
		q.Increment = 1
	}
	if o.Cycle != nil {
		q.Cycle = *o.Cycle
	}
	least, most := workspace.SequenceRange(q.Type)
	switch {
	case o.Max != nil:
		q.Max = *o.Max
	case o.NoMax || resetMax:
		if q.Max = most; q.Increment < 0 {
			q.Max = -1
		}
	}
	if q.Max < least || q.Max > most {
		return invalid("MAXVALUE (%d) is out of range for sequence data type %s", q.Max, types.Of(q.Type))
	}
	switch {
	case o.Min != nil:
		q.Min = *o.Min
	case o.NoMin || resetMin:
		if q.Min = 1; q.Increment < 0 {
			q.Min = least
		}
	}
	if q.Min < least || q.Min > most {
		return invalid("MINVALUE (%d) is out of range for sequence data type %s", q.Min, types.Of(q.Type))
	}
	if q.Min >= q.Max {
		return invalid("MINVALUE (%d) must be less than MAXVALUE (%d)", q.Min, q.Max)
	}
	switch {
	case o.Start != nil:
		q.Start = *o.Start
	case created:
		if q.Start = q.Min; q.Increment < 0 {
			q.Start = q.Max
		}
	}
	if q.Start < q.Min {
		return invalid("START value (%d) cannot be less than MINVALUE (%d)", q.Start, q.Min)
	}
	if q.Start > q.Max {
		return invalid("START value (%d) cannot be greater than MAXVALUE (%d)", q.Start, q.Max)
	}
	last, called, err := value(q, o)
	if err != nil {
		return err
	}
	switch {
	case o.Cache != nil && *o.Cache <= 0:
		return invalid("CACHE (%d) must be greater than zero", *o.Cache)
	case o.Cache != nil:
		q.Cache = *o.Cache
	case created:
		q.Cache = 1
	}
	q.State, err = state(last, called)
	return err
}

// makeState makes the value of a sequence, which begins at last, or after it if that was given.
type makeState func(last int64, called bool) (*workspace.SequenceState, error)

// value is the value that the options give a sequence. A rollback brings the earlier one back.
func value(q *workspace.Sequence, o *ddlstmt.SequenceOptions) (last int64, called bool, err error) {
	last = q.Start
	if q.State != nil {
		last, called, _ = q.Last()
	}
	if o.Restarts {
		if last, called = q.Start, false; o.Restart != nil {
			last = *o.Restart
		}
	}
	if last < q.Min {
		return 0, false, pgerr.New(pgerr.InvalidParameterValue, "RESTART value (%d) cannot be less than MINVALUE (%d)", last, q.Min)
	}
	if last > q.Max {
		return 0, false, pgerr.New(pgerr.InvalidParameterValue, "RESTART value (%d) cannot be greater than MAXVALUE (%d)", last, q.Max)
	}
	return last, called, nil
}
