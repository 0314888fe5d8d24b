package database

import "github.com/ontosql/ontosql/pgfunc"

// SequenceCall is a call of a function of sequences.
type SequenceCall struct {
	// Function is "nextval", "currval", "lastval", "setval" or "pg_sequence_last_value", or a
	// column of a sequence that SELECT reads: "ontosql_last_value" and so on.
	Function string
	Sequence string // its name, as regclass reads it
	Value    int64  // of setval
	Called   bool   // is_called of setval
	Position int    // of the name in the statement, 0 for none
}

// sequenceFunctions are the functions of sequences: of the session and what SequenceCall has.
func (db *Database) sequenceFunctions() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_sequence", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text, pgfunc.Int, pgfunc.Int, pgfunc.Int}, Result: pgfunc.Int, Effect: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				c, ok := db.caller(args)
				if !ok {
					return pgfunc.Value{Null: true}, nil
				}
				v.Int, v.Null, err = c.Sequence(SequenceCall{args[1].Text, args[2].Text, args[3].Int, args[4].Int != 0, int(args[5].Int)})
				return v, err
			}
		},
	}}
}
