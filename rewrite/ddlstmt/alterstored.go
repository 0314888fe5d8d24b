package ddlstmt

import (
	"errors"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// ParseStoredAlteration is ParseAlteration for an ordinary table, which has constraints of all
// kinds and columns of all types.
func ParseStoredAlteration(s *syntax.Statement, env scope.Env) (*Alteration, error) {
	switch n := s.Node.GetNode().(type) {
	case *pg.Node_RenameStmt:
		if n.RenameStmt.RenameType == pg.ObjectType_OBJECT_TABCONSTRAINT {
			a := AlterAction{Kind: RenameConstraint, Column: n.RenameStmt.Subname, To: n.RenameStmt.Newname, Position: s.Target.Position}
			return &Alteration{Table: *s.Target, IfExists: n.RenameStmt.MissingOk, Actions: []AlterAction{a}}, nil
		}
	case *pg.Node_AlterTableStmt:
		if n.AlterTableStmt.Objtype == pg.ObjectType_OBJECT_TABLE {
			return parseAlterTable(s, n.AlterTableStmt, env, true)
		}
	}
	return ParseAlteration(s, env)
}

// parseStoredAction is parseAction for an ordinary table.
func parseStoredAction(s *syntax.Statement, n *pg.AlterTableCmd, at int, env scope.Env) (a AlterAction, err error) {
	a = AlterAction{Column: n.Name, Exists: n.MissingOk, Cascade: n.Behavior == pg.DropBehavior_DROP_CASCADE, Position: at}
	switch n.Subtype {
	case pg.AlterTableType_AT_AddColumn:
		a.Kind, a.Column = AddColumn, n.Def.GetColumnDef().GetColname()
		d := storedDefiner(s)
		if err = d.addColumn(n.Def.GetColumnDef()); err == nil {
			if err = withoutPosition(d.defaults(env)); err == nil {
				err = d.check()
			}
		}
		if err == nil {
			a.Declared, a.Definition = d.Definition, d.Columns[0]
		}
	case pg.AlterTableType_AT_AlterColumnType:
		a.Kind = AlterType
		err = unplaced(parseNewType(s, &a, n.Def.GetColumnDef(), true))
	case pg.AlterTableType_AT_AddConstraint:
		a.Kind = AddConstraint
		d := storedDefiner(s)
		err = d.constraint(n.Def.GetConstraint(), nil)
		a.Declared = d.Definition
	case pg.AlterTableType_AT_DropConstraint:
		a.Kind = DropConstraint
	case pg.AlterTableType_AT_AlterConstraint:
		k := n.Def.GetConstraint()
		a.Kind, a.Column, a.Timing = AlterConstraint, k.Conname, Timing{k.Deferrable, k.Initdeferred}
	case pg.AlterTableType_AT_ValidateConstraint:
		a.Kind = ValidateConstraint
	case pg.AlterTableType_AT_AddIdentity:
		k := n.Def.GetConstraint()
		a.Kind, a.Identity = AddIdentity, k.GeneratedWhen[0]
		var options SequenceOptions
		options, err = sequenceOptions(s, k.Options, true)
		a.Sequence = &options
	case pg.AlterTableType_AT_SetIdentity:
		err = setIdentity(s, n, &a)
	case pg.AlterTableType_AT_DropIdentity:
		a.Kind = DropIdentity
	case pg.AlterTableType_AT_DropExpression:
		a.Kind = DropExpression
	case pg.AlterTableType_AT_SetRelOptions, pg.AlterTableType_AT_ResetRelOptions:
		a.Kind = SetStorage
		a.Options, err = tableOptionChange(n)
	default:
		return parseAction(s, n, at, env)
	}
	return a, err
}

// withoutPosition is an error without its position: PostgreSQL gives none of the expressions of
// ALTER TABLE.
func withoutPosition(err error) error {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Position = 0
	return &out
}

func storedDefiner(s *syntax.Statement) *definer {
	return &definer{st: s, Definition: &Definition{Table: *s.Target, Ordinary: true}}
}

// CheckKeys checks that the columns of keys are among those of a table, with PostgreSQL's
// errors.
func (d *Definition) CheckKeys(columns []string) error {
	all := *d
	all.Columns = nil
	for _, name := range columns {
		all.Columns = append(all.Columns, ColumnDefinition{Name: name})
	}
	return all.check()
}

// TwoKeys is the error of a second primary key of a table.
func TwoKeys(table string) *pgerr.Error { return twoKeys(table) }
