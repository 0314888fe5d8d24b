package database

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// EnqueueCall is a call of ontosql.enqueue.
type EnqueueCall struct {
	Type, Payload string
	Namespace     string // "" for the default
	Priority      *int64 // nil for the default
	Parent        string // "" for none
}

// enqueueFunctions are ontosql.enqueue of a session, with what EnqueueCall has.
func (db *Database) enqueueFunctions() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_enqueue", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text, pgfunc.Text, pgfunc.Int, pgfunc.Text}, Result: pgfunc.Text, Effect: true, Nulls: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				c, ok := db.caller(args)
				if !ok {
					return pgfunc.Value{Null: true}, nil
				}
				for i, name := range []string{"type", "payload"} {
					if args[i+1].Null {
						return v, pgerr.New(pgerr.NullValueNotAllowed, "argument %q of ontosql.enqueue must not be NULL", name)
					}
				}
				call := EnqueueCall{Type: args[1].Text, Payload: args[2].Text}
				if !args[3].Null {
					if call.Namespace = args[3].Text; call.Namespace == "" {
						return v, pgerr.New(pgerr.InvalidParameterValue, "the namespace of an event must not be empty")
					}
				}
				if !args[4].Null {
					call.Priority = &args[4].Int
				}
				if !args[5].Null {
					call.Parent = args[5].Text
				}
				v.Text, err = c.Enqueue(call)
				return v, err
			}
		},
	}}
}
