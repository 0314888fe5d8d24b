package ddlstmt

import (
	"errors"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Schema is a CREATE SCHEMA.
type Schema struct {
	Name        string
	IfNotExists bool
}

// ParseSchema reads a CREATE SCHEMA. Objects that are created in it are 0A000.
func ParseSchema(s *syntax.Statement) (*Schema, error) {
	n, ok := s.Node.GetNode().(*pg.Node_CreateSchemaStmt)
	if !ok {
		return nil, errors.New("schema: the statement is " + s.Tag)
	}
	create := n.CreateSchemaStmt
	if len(create.SchemaElts) > 0 {
		return nil, pgerr.Unsupported("CREATE SCHEMA with objects in it is not supported").WithHint("Use a statement for each object.")
	}
	name := create.Schemaname
	if name == "" {
		name = create.Authrole.GetRolename()
	}
	return &Schema{Name: name, IfNotExists: create.IfNotExists}, nil
}

// RenamedSchema is the schema of ALTER SCHEMA RENAME TO and its new name, "" for another statement.
func RenamedSchema(s *syntax.Statement) (from, to string) {
	if n := s.Node.GetRenameStmt(); n.GetRenameType() == pg.ObjectType_OBJECT_SCHEMA {
		return n.Subname, n.Newname
	}
	return "", ""
}
