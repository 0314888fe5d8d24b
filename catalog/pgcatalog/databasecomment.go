package pgcatalog

import "github.com/ontosql/ontosql/pgfunc"

// DatabaseComment is the function of the engine on which shobj_description stands, as those of Calls.
// Comments change without the catalog: comment gives that on a database, "" for none.
func DatabaseComment(view func(session int64) *View, comment func(database string) (string, error)) pgfunc.Function {
	return pgfunc.Function{
		Name: "ontosql_database_comment", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Int}, Result: pgfunc.Text, Effect: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (pgfunc.Value, error) {
				v := view(args[0].Int)
				if v == nil {
					return pgfunc.Value{Null: true}, nil
				}
				text, err := comment(v.databaseName(uint32(args[1].Int)))
				return pgfunc.Value{Text: text, Null: text == ""}, err
			}
		},
	}
}

// databaseName is the name of the database of an OID, "" for none.
func (v *View) databaseName(oid uint32) string {
	for name, has := range v.databases {
		if has == oid {
			return name
		}
	}
	return ""
}
