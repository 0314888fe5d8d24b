package ddlstmt

import (
	"errors"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// IsMaterialized reports whether a statement is CREATE MATERIALIZED VIEW.
func IsMaterialized(s *syntax.Statement) bool {
	return s.Node.GetCreateTableAsStmt().GetObjtype() == pg.ObjectType_OBJECT_MATVIEW
}

// ParseMaterialized reads a CREATE MATERIALIZED VIEW: the table with its rows, and the view that
// these are the rows of.
func ParseMaterialized(s *syntax.Statement) (*Definition, *ViewDefinition, error) {
	if !IsMaterialized(s) {
		return nil, nil, errors.New("materialized view: the statement is " + s.Tag)
	}
	n := s.Node.GetCreateTableAsStmt()
	into := n.Into
	if into.Rel.Relpersistence == "u" {
		return nil, nil, pgerr.Unsupported("materialized views cannot be unlogged")
	}
	if err := plainTable(into.Rel, into.OnCommit, into.TableSpaceName, into.AccessMethod, nil, s.Target.Position); err != nil {
		return nil, nil, err
	}
	d, err := tableOfQuery(s, n)
	if err != nil {
		return nil, nil, err
	}
	if d.Options, err = storageOptions(into.Options, tableParameters, "toast"); err != nil {
		return nil, nil, err
	}
	d.Ordinary = true
	if !d.Query.ReadOnly {
		return nil, nil, pgerr.Unsupported("materialized views must not use data-modifying statements in WITH")
	}
	v := &ViewDefinition{View: d.Table, Names: syntax.Strings(into.ColNames), Query: d.Query, Text: withoutData(afterAs(s.SQL))}
	return d, v, nil
}

// withoutData is the text of a query without WITH DATA or WITH NO DATA behind it.
func withoutData(text string) string {
	scan, err := pg.Scan(text)
	if err != nil {
		return text
	}
	last := func(i int) pg.Token {
		if i = len(scan.Tokens) - i; i < 0 {
			return 0
		}
		return scan.Tokens[i].Token
	}
	n := 2
	switch {
	case last(1) != pg.Token_DATA_P:
		return text
	case last(2) == pg.Token_NO && isWith(last(3)):
		n = 3
	case !isWith(last(2)):
		return text
	}
	return syntax.Bare(text[:scan.Tokens[len(scan.Tokens)-n].Start])
}

func isWith(t pg.Token) bool { return t == pg.Token_WITH || t == pg.Token_WITH_LA }

// Refresh is what a REFRESH MATERIALIZED VIEW asks for.
type Refresh struct {
	Concurrently bool
	NoData       bool // WITH NO DATA
}

// ParseRefresh reads a REFRESH MATERIALIZED VIEW.
func ParseRefresh(s *syntax.Statement) Refresh {
	n := s.Node.GetRefreshMatViewStmt()
	return Refresh{Concurrently: n.GetConcurrent(), NoData: n.GetSkipData()}
}

// materializedActions are the actions of ALTER TABLE that PostgreSQL does on materialized views.
var materializedActions = map[pg.AlterTableType]bool{
	pg.AlterTableType_AT_SetStatistics: true, pg.AlterTableType_AT_SetStorage: true, pg.AlterTableType_AT_SetCompression: true,
	pg.AlterTableType_AT_SetOptions: true, pg.AlterTableType_AT_ResetOptions: true, pg.AlterTableType_AT_ClusterOn: true,
	pg.AlterTableType_AT_DropCluster: true, pg.AlterTableType_AT_ChangeOwner: true, pg.AlterTableType_AT_SetTableSpace: true,
	pg.AlterTableType_AT_SetAccessMethod: true,
}

// shownActions are the actions as PostgreSQL's errors name them (alter_table_type_to_string).
var shownActions = map[pg.AlterTableType]string{
	pg.AlterTableType_AT_AddColumn: "ADD COLUMN", pg.AlterTableType_AT_DropColumn: "DROP COLUMN",
	pg.AlterTableType_AT_ColumnDefault: "ALTER COLUMN ... SET DEFAULT", pg.AlterTableType_AT_SetNotNull: "ALTER COLUMN ... SET NOT NULL",
	pg.AlterTableType_AT_DropNotNull: "ALTER COLUMN ... DROP NOT NULL", pg.AlterTableType_AT_AlterColumnType: "ALTER COLUMN ... SET DATA TYPE",
	pg.AlterTableType_AT_AddIdentity: "ALTER COLUMN ... ADD IDENTITY", pg.AlterTableType_AT_SetIdentity: "ALTER COLUMN ... SET",
	pg.AlterTableType_AT_DropIdentity: "ALTER COLUMN ... DROP IDENTITY", pg.AlterTableType_AT_DropExpression: "ALTER COLUMN ... DROP EXPRESSION",
	pg.AlterTableType_AT_AddConstraint: "ADD CONSTRAINT", pg.AlterTableType_AT_DropConstraint: "DROP CONSTRAINT",
	pg.AlterTableType_AT_AlterConstraint: "ALTER CONSTRAINT", pg.AlterTableType_AT_ValidateConstraint: "VALIDATE CONSTRAINT",
	pg.AlterTableType_AT_SetStatistics: "ALTER COLUMN ... SET STATISTICS", pg.AlterTableType_AT_SetStorage: "ALTER COLUMN ... SET STORAGE",
	pg.AlterTableType_AT_SetCompression: "ALTER COLUMN ... SET COMPRESSION", pg.AlterTableType_AT_ClusterOn: "CLUSTER ON", pg.AlterTableType_AT_DropCluster: "SET WITHOUT CLUSTER",
	pg.AlterTableType_AT_SetLogged: "SET LOGGED", pg.AlterTableType_AT_SetUnLogged: "SET UNLOGGED",
	pg.AlterTableType_AT_EnableTrigAll: "ENABLE TRIGGER ALL", pg.AlterTableType_AT_DisableTrigAll: "DISABLE TRIGGER ALL",
	pg.AlterTableType_AT_EnableTrigUser: "ENABLE TRIGGER USER", pg.AlterTableType_AT_DisableTrigUser: "DISABLE TRIGGER USER",
	pg.AlterTableType_AT_EnableTrig: "ENABLE TRIGGER", pg.AlterTableType_AT_DisableTrig: "DISABLE TRIGGER",
	pg.AlterTableType_AT_EnableRowSecurity: "ENABLE ROW SECURITY", pg.AlterTableType_AT_DisableRowSecurity: "DISABLE ROW SECURITY",
	pg.AlterTableType_AT_AddInherit: "INHERIT", pg.AlterTableType_AT_DropInherit: "NO INHERIT", pg.AlterTableType_AT_ReplicaIdentity: "REPLICA IDENTITY",
	pg.AlterTableType_AT_SetTableSpace: "SET TABLESPACE", pg.AlterTableType_AT_SetRelOptions: "SET", pg.AlterTableType_AT_ResetRelOptions: "RESET",
}

// ParseMaterializedActions reads the actions of an ALTER TABLE or ALTER MATERIALIZED VIEW that
// are on a materialized view of a name: changes of its storage parameters.
func ParseMaterializedActions(s *syntax.Statement, name string) (out []OptionChange, err error) {
	for _, c := range s.Node.GetAlterTableStmt().GetCmds() {
		n := c.GetAlterTableCmd()
		switch of := n.Subtype; {
		case of == pg.AlterTableType_AT_SetRelOptions, of == pg.AlterTableType_AT_ResetRelOptions:
		case materializedActions[of]:
			return nil, pgerr.Unsupported("%s ... %s is not supported", s.Tag, actionWords(of)).At(s.Target.Position)
		default:
			return nil, NotOn(of, name, "materialized views")
		}
		change, err := tableOptionChange(n)
		if err != nil {
			return nil, err
		}
		out = append(out, change)
	}
	return out, nil
}

// NotOn is PostgreSQL's error of an action of ALTER TABLE on relations that cannot have it.
func NotOn(action pg.AlterTableType, name, kind string) error {
	shown := shownActions[action]
	if shown == "" {
		shown = actionWords(action)
	}
	return pgerr.New(pgerr.WrongObjectType, "ALTER action %s cannot be performed on relation %q", shown, name).
		WithDetail("This operation is not supported for %s.", kind)
}
