package ddlstmt

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// CreateDatabase is what CREATE DATABASE asks for.
type CreateDatabase struct {
	Name     string
	Template string // "" for an empty one
	Owner    []Role // none or one
}

// ParseCreateDatabase reads a CREATE DATABASE. Options that say what is so anyway are accepted, others
// are 0A000.
func ParseCreateDatabase(s *syntax.Statement) (*CreateDatabase, error) {
	n := s.Node.GetCreatedbStmt()
	if n == nil {
		return nil, errors.New("create database: the statement is " + s.Tag)
	}
	c := &CreateDatabase{Name: n.Dbname}
	var seen []string
	for _, o := range n.Options {
		d := o.GetDefElem()
		switch {
		case slices.Contains(seen, d.Defname):
			return nil, pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").At(s.Tree.Position(d.Location))
		case d.Arg == nil: // DEFAULT
			if !isDatabaseOption(d.Defname) {
				return nil, unknownDatabaseOption(s, d)
			}
		case d.Defname == "owner":
			c.Owner = []Role{{Name: syntax.OptionText(d.Arg)}}
		case d.Defname == "template":
			c.Template = syntax.OptionText(d.Arg)
		default:
			if err := checkDatabaseOption(s, d); err != nil {
				return nil, err
			}
		}
		seen = append(seen, d.Defname)
	}
	if c.Template == "template0" || c.Template == "template1" {
		c.Template = ""
	}
	return c, nil
}

// databaseOptions are the values of options of CREATE and ALTER DATABASE that every database has. An
// option without any has no meaning here.
var databaseOptions = map[string][]string{
	"encoding":          {"utf8", "utf-8", "unicode", "6"},
	"locale":            {"c", "posix"},
	"lc_collate":        {"c", "posix"},
	"lc_ctype":          {"c", "posix"},
	"locale_provider":   {"libc"},
	"icu_locale":        nil,
	"collation_version": nil,
	"tablespace":        {"pg_default"},
	"allow_connections": {"true", "on", "1"},
	"connection_limit":  {"-1"},
	"is_template":       {"false", "off", "0"},
	"strategy":          {"wal_log", "file_copy"},
	"oid":               nil,
}

func isDatabaseOption(name string) bool {
	_, known := databaseOptions[name]
	return known || name == "owner" || name == "template"
}

func unknownDatabaseOption(s *syntax.Statement, d *pg.DefElem) error {
	return pgerr.New(pgerr.SyntaxError, "option %q not recognized", d.Defname).At(s.Tree.Position(d.Location))
}

// checkDatabaseOption is the error of an option that asks for something else than every database has:
// PostgreSQL's for a value that it does not know either, else 0A000.
func checkDatabaseOption(s *syntax.Statement, d *pg.DefElem) error {
	has, known := databaseOptions[d.Defname]
	value := syntax.OptionText(d.Arg)
	switch limit, err := strconv.Atoi(value); {
	case !known:
		return unknownDatabaseOption(s, d)
	case slices.Contains(has, strings.ToLower(value)):
		return nil
	case d.Defname == "connection_limit" && err == nil && limit < -1:
		return pgerr.New(pgerr.InvalidParameterValue, "invalid connection limit: %d", limit)
	case d.Defname == "tablespace":
		return pgerr.New(pgerr.UndefinedObject, "tablespace %q does not exist", value)
	case d.Defname == "strategy":
		return pgerr.New(pgerr.InvalidParameterValue, "invalid create database strategy %q", value).
			WithHint(`Valid strategies are "wal_log" and "file_copy".`)
	case d.Defname == "locale_provider" && !strings.EqualFold(value, "icu"):
		return pgerr.New(pgerr.InvalidObjectDefinition, "unrecognized locale provider: %s", value)
	}
	name := strings.ToUpper(d.Defname)
	if d.Defname == "connection_limit" {
		name = "CONNECTION LIMIT" // as it is written
	}
	e := pgerr.Unsupported("option %s %s of a database is not supported", name, value).At(s.Tree.Position(d.Location))
	if len(has) > 0 {
		e = e.WithDetail("Every database has %s %s.", name, strings.ToUpper(has[0]))
	}
	return e
}

// DropDatabase is what DROP DATABASE asks for.
type DropDatabase struct {
	Name     string
	IfExists bool
	Force    bool
}

// ParseDropDatabase reads a DROP DATABASE.
func ParseDropDatabase(s *syntax.Statement) (*DropDatabase, error) {
	n := s.Node.GetDropdbStmt()
	if n == nil {
		return nil, errors.New("drop database: the statement is " + s.Tag)
	}
	return &DropDatabase{Name: n.Dbname, IfExists: n.MissingOk, Force: len(n.Options) > 0}, nil // FORCE is the only option
}

// DatabaseChange is what ALTER DATABASE or COMMENT ON DATABASE asks for.
type DatabaseChange struct {
	Name    string
	Setting *syntax.Statement // SET or RESET
	Current bool              // SET ... FROM CURRENT
	Rename  bool
	Owner   []Role // none or one
	Refresh bool   // REFRESH COLLATION VERSION
	Comment *string
}

// ParseDatabaseChange reads an ALTER DATABASE or COMMENT ON DATABASE. Options that say what is so
// anyway are accepted, others are 0A000.
func ParseDatabaseChange(s *syntax.Statement) (*DatabaseChange, error) {
	switch n := s.Node.Node.(type) {
	case *pg.Node_AlterDatabaseSetStmt:
		set := n.AlterDatabaseSetStmt
		return &DatabaseChange{Name: set.Dbname, Setting: s.Inner, Current: set.Setstmt.Kind == pg.VariableSetKind_VAR_SET_CURRENT}, nil
	case *pg.Node_AlterDatabaseStmt:
		for _, o := range n.AlterDatabaseStmt.Options {
			if err := checkDatabaseOption(s, o.GetDefElem()); err != nil {
				return nil, err
			}
		}
		return &DatabaseChange{Name: n.AlterDatabaseStmt.Dbname}, nil
	case *pg.Node_AlterDatabaseRefreshCollStmt:
		return &DatabaseChange{Name: n.AlterDatabaseRefreshCollStmt.Dbname, Refresh: true}, nil
	case *pg.Node_RenameStmt:
		return &DatabaseChange{Name: n.RenameStmt.Subname, Rename: true}, nil
	case *pg.Node_AlterOwnerStmt:
		return &DatabaseChange{Name: n.AlterOwnerStmt.Object.GetString_().GetSval(), Owner: NewOwners(s)}, nil
	case *pg.Node_CommentStmt:
		return &DatabaseChange{Name: n.CommentStmt.Object.GetString_().GetSval(), Comment: &n.CommentStmt.Comment}, nil
	}
	return nil, errors.New("change of a database: the statement is " + s.Tag)
}

// RequireGrants reads an ALTER DATABASE ... SET or RESET ontosql.require_grants, which is kept in the
// ontology itself (decision A89). ours is false for another statement.
func RequireGrants(s *syntax.Statement) (database string, on, ours bool, err error) {
	n := s.Node.GetAlterDatabaseSetStmt()
	if n == nil || !strings.EqualFold(s.Inner.Name, "ontosql.require_grants") {
		return "", false, false, nil
	}
	if s.Inner.Values == nil { // RESET, or TO DEFAULT
		return n.Dbname, false, true, nil
	}
	if len(s.Inner.Values) == 1 {
		switch value := strings.ToLower(s.Inner.Values[0]); value {
		case "on", "true", "yes", "1", "off", "false", "no", "0":
			return n.Dbname, slices.Contains([]string{"on", "true", "yes", "1"}, value), true, nil
		}
	}
	return "", false, true, pgerr.New(pgerr.InvalidParameterValue, "parameter %q requires a Boolean value", "ontosql.require_grants")
}
