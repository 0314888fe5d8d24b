package functions

import (
	"github.com/ontosql/ontosql/rewrite/types"
)

// Privilege is one of has_table_privilege and its like.
type Privilege struct {
	ObjectType      uint32 // the reg type that reads the object's name, 0 for none
	ArgsAfterObject int    // the number of arguments after the object
	Kinds           string // all privileges, each between commas
}

// SequencePrivileges are looked at before the object is.
const SequencePrivileges = ",USAGE,SELECT,UPDATE,"

// Privileges are has_table_privilege and its like, by name.
var Privileges = map[string]Privilege{
	"has_table_privilege":      {types.Regclass, 1, ",SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER,RULE,"},
	"has_any_column_privilege": {types.Regclass, 1, ",SELECT,INSERT,UPDATE,REFERENCES,"},
	"has_column_privilege":     {types.Regclass, 2, ",SELECT,INSERT,UPDATE,REFERENCES,"},
	"has_sequence_privilege":   {types.Regclass, 1, SequencePrivileges},
	"has_schema_privilege":     {types.Regnamespace, 1, ",CREATE,USAGE,"},
	"has_database_privilege":   {0, 1, ",CREATE,TEMPORARY,TEMP,CONNECT,"},
	"has_function_privilege":   {types.Regprocedure, 1, ",EXECUTE,"},
	"has_type_privilege":       {types.Regtype, 1, ",USAGE,"},
	"has_language_privilege":   {0, 1, ",USAGE,"},
	"has_tablespace_privilege": {0, 1, ",CREATE,"},
	"pg_has_role":              {types.Regrole, 1, ",USAGE,MEMBER,"},
}
