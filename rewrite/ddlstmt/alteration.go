package ddlstmt

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Alteration is what ALTER TABLE asks for.
type Alteration struct {
	Table    syntax.Ref
	IfExists bool
	// Actions are in the order in which PostgreSQL executes them, independent of the
	// statement: drops, new types, new columns, NOT NULL, defaults. RENAME is always alone.
	Actions []AlterAction
}

// AlterKind says what an AlterAction does.
type AlterKind uint8

// The kinds of actions.
const (
	AddColumn    AlterKind = iota // Definition
	DropColumn                    // Column, Cascade
	AlterType                     // Column, Type, Value: USING's expression
	SetDefault                    // Column, Value
	DropDefault                   // Column
	SetNotNull                    // Column
	DropNotNull                   // Column
	RenameColumn                  // Column, To
	RenameTable                   // To

	// Of ordinary tables only:
	AddConstraint      // Declared
	DropConstraint     // Column is its name, Exists, Cascade
	RenameConstraint   // Column is its name, To
	AlterConstraint    // Column is its name, Timing
	ValidateConstraint // Column is its name
	AddIdentity        // Column, Identity, Sequence
	SetIdentity        // Column, Identity: 0 to keep it, Sequence
	DropIdentity       // Column, Exists
	DropExpression     // Column, Exists
	SetStorage         // Options
)

// AlterAction is one action of ALTER TABLE. Which members it has is said at its
// kind.
type AlterAction struct {
	Kind       AlterKind
	Column     string
	Definition ColumnDefinition
	Declared   *Definition // of AddColumn and AddConstraint of an ordinary table: the constraints
	Type       DeclaredType
	Value      *defaults.Expression // nil for none
	To         string
	Identity   byte             // 'a' for GENERATED ALWAYS AS IDENTITY, 'd' for BY DEFAULT
	Sequence   *SequenceOptions // of an IDENTITY column, nil for none
	Exists     bool             // IF NOT EXISTS of AddColumn, IF EXISTS of DropColumn and DropConstraint
	Cascade    bool
	Timing     Timing
	Options    OptionChange
	// Position is where the action begins, for what PostgreSQL has no error of: its
	// own errors of a whole action have no position.
	Position int
}

// ParseAlteration reads an ALTER TABLE. A new column's DEFAULT is checked here, that of
// SET DEFAULT by Expression.Default when the column is known, and USING by
// ScopeMigration. Actions that no table here can have are 0A000.
func ParseAlteration(s *syntax.Statement, env scope.Env) (*Alteration, error) {
	switch n := s.Node.GetNode().(type) {
	case *pg.Node_AlterTableStmt:
		if n.AlterTableStmt.Objtype == pg.ObjectType_OBJECT_TABLE {
			return parseAlterTable(s, n.AlterTableStmt, env, false)
		}
	case *pg.Node_RenameStmt:
		return parseRename(s, n.RenameStmt)
	case *pg.Node_AlterObjectSchemaStmt:
		if n.AlterObjectSchemaStmt.ObjectType == pg.ObjectType_OBJECT_TABLE {
			return nil, pgerr.Unsupported("ALTER TABLE ... SET SCHEMA is not supported").At(s.Target.Position)
		}
	default:
		return nil, errors.New("alteration: the statement is " + s.Tag)
	}
	return nil, pgerr.Unsupported("%s is not supported", s.Tag)
}

// parseRename reads RENAME COLUMN and RENAME TO.
func parseRename(s *syntax.Statement, n *pg.RenameStmt) (*Alteration, error) {
	a := AlterAction{Column: n.Subname, To: n.Newname}
	switch {
	case n.RenameType == pg.ObjectType_OBJECT_COLUMN && scope.IsSystemColumn(n.Newname):
		return nil, expression.SystemColumnConflict(n.Newname)
	case n.RenameType == pg.ObjectType_OBJECT_TABLE, n.RenameType == pg.ObjectType_OBJECT_MATVIEW:
		a.Kind = RenameTable
	case n.RenameType == pg.ObjectType_OBJECT_COLUMN && (n.RelationType == pg.ObjectType_OBJECT_TABLE || n.RelationType == pg.ObjectType_OBJECT_MATVIEW):
		a.Kind = RenameColumn
	case n.RenameType == pg.ObjectType_OBJECT_TABCONSTRAINT:
		return nil, pgerr.Unsupported("ALTER TABLE ... RENAME CONSTRAINT is not supported").At(s.Target.Position)
	default:
		return nil, pgerr.Unsupported("%s ... RENAME is not supported", s.Tag)
	}
	a.Position = s.Target.Position
	return &Alteration{Table: *s.Target, IfExists: n.MissingOk, Actions: []AlterAction{a}}, nil
}

// parseAlterTable reads ALTER TABLE, of an ordinary table if stored is true.
func parseAlterTable(s *syntax.Statement, n *pg.AlterTableStmt, env scope.Env, stored bool) (*Alteration, error) {
	a := &Alteration{Table: *s.Target, IfExists: n.MissingOk}
	places := actionPlaces(s, n.Relation, len(n.Cmds))
	altered := map[string]bool{}
	for i, c := range n.Cmds {
		read := parseAction
		if stored {
			read = parseStoredAction
		}
		action, err := read(s, c.GetAlterTableCmd(), places[i], env)
		if err != nil {
			return nil, err
		}
		if action.Kind == AlterType {
			if altered[action.Column] {
				return nil, pgerr.Unsupported("cannot alter type of column %q twice", action.Column)
			}
			altered[action.Column] = true
		}
		a.Actions = append(a.Actions, action)
	}
	slices.SortStableFunc(a.Actions, func(x, y AlterAction) int { return cmp.Compare(passes[x.Kind], passes[y.Kind]) })
	return a, nil
}

// passes order the kinds of actions (AlterTablePass in PostgreSQL's tablecmds.c).
var passes = [...]int{
	DropColumn: 0, DropConstraint: 0, DropDefault: 0, DropNotNull: 0, AlterType: 1, AddColumn: 2, AddConstraint: 3, SetNotNull: 4,
	SetDefault: 5, AlterConstraint: 6, ValidateConstraint: 6, AddIdentity: 5, SetIdentity: 5, DropIdentity: 0, DropExpression: 0, RenameColumn: 0, RenameTable: 0, RenameConstraint: 0, SetStorage: 6,
}

// parseAction reads one action.
func parseAction(s *syntax.Statement, n *pg.AlterTableCmd, at int, env scope.Env) (a AlterAction, err error) {
	a = AlterAction{Column: n.Name, Exists: n.MissingOk, Cascade: n.Behavior == pg.DropBehavior_DROP_CASCADE, Position: at}
	switch n.Subtype {
	case pg.AlterTableType_AT_AddColumn:
		a.Kind, a.Column = AddColumn, n.Def.GetColumnDef().GetColname()
		a.Definition, err = parseNewColumn(s, n.Def.GetColumnDef(), at, env)
	case pg.AlterTableType_AT_DropColumn:
		a.Kind = DropColumn
	case pg.AlterTableType_AT_AlterColumnType:
		a.Kind = AlterType
		err = unplaced(parseNewType(s, &a, n.Def.GetColumnDef(), false))
	case pg.AlterTableType_AT_ColumnDefault:
		a.Kind = DropDefault
		if n.Def != nil {
			a.Kind = SetDefault
			a.Value, err = defaults.NewExpression(s, n.Def)
			err = unplaced(err)
		}
	case pg.AlterTableType_AT_SetNotNull:
		a.Kind = SetNotNull
	case pg.AlterTableType_AT_DropNotNull:
		a.Kind = DropNotNull
	case pg.AlterTableType_AT_AddConstraint:
		if n.Def.GetConstraint().GetContype() == pg.ConstrType_CONSTR_PRIMARY {
			return a, twoKeys(s.Target.Name)
		}
		return a, pgerr.Unsupported("ALTER TABLE ... ADD CONSTRAINT is not supported").At(at).
			WithHint("The key and the references of a table are part of its CREATE TABLE.")
	default:
		return a, pgerr.Unsupported("ALTER TABLE ... %s is not supported", actionWords(n.Subtype)).At(at)
	}
	return a, err
}

// parseNewColumn reads the column of ADD COLUMN.
func parseNewColumn(s *syntax.Statement, n *pg.ColumnDef, at int, env scope.Env) (ColumnDefinition, error) {
	d := &definer{st: s, Definition: &Definition{Table: *s.Target}}
	if err := d.addColumn(n); err != nil {
		return ColumnDefinition{}, err
	}
	switch {
	case d.Key != nil:
		return ColumnDefinition{}, twoKeys(s.Target.Name)
	case d.References != nil:
		return ColumnDefinition{}, pgerr.Unsupported("REFERENCES of a new column is not supported").At(at).
			WithHint("The references of a table are part of its CREATE TABLE.")
	}
	err := d.defaults(env)
	return d.Columns[0], err
}

// parseNewType reads ALTER COLUMN TYPE, of an ordinary table if stored is true.
func parseNewType(s *syntax.Statement, a *AlterAction, n *pg.ColumnDef, stored bool) (err error) {
	if a.Type, err = declaredType(s.Tree, a.Column, n.TypeName, stored); err != nil {
		return err
	}
	if err = checkColumnCollation(s.Tree, a.Type, n.CollClause); err != nil {
		return err
	}
	if n.RawDefault != nil {
		a.Value, err = defaults.NewExpression(s, n.RawDefault)
	}
	return err
}

// unplaced is an error without its position: PostgreSQL gives none of what ALTER COLUMN
// says. What only ontosql refuses keeps it.
func unplaced(err error) error {
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code == pgerr.FeatureNotSupported {
		return err
	}
	out := *e
	out.Position = 0
	return &out
}

// actionWords names an action: AT_SetStatistics is SET STATISTICS.
func actionWords(t pg.AlterTableType) string {
	switch t {
	case pg.AlterTableType_AT_ChangeOwner:
		return "OWNER TO"
	case pg.AlterTableType_AT_SetRelOptions:
		return "SET (storage parameters)"
	case pg.AlterTableType_AT_ResetRelOptions:
		return "RESET (storage parameters)"
	case pg.AlterTableType_AT_AddInherit:
		return "INHERIT"
	case pg.AlterTableType_AT_DropInherit:
		return "NO INHERIT"
	}
	var s strings.Builder
	for i, r := range strings.TrimPrefix(t.String(), "AT_") {
		if i > 0 && r >= 'A' && r <= 'Z' {
			s.WriteByte(' ')
		}
		s.WriteRune(r)
	}
	return strings.ToUpper(s.String())
}

// actionPlaces are where the n actions begin, which the parser does not say: behind
// the name of the table, and behind each comma that no bracket holds.
func actionPlaces(s *syntax.Statement, table *pg.RangeVar, n int) []int {
	var places []int
	scan, err := pg.Scan(s.SQL)
	if err != nil {
		return make([]int, n)
	}
	inName, depth := true, 0
	before := pg.Token_ASCII_46 // the dot of a qualified name
	for _, tok := range scan.Tokens {
		if tok.Start < table.Location || tok.Token == pg.Token_SQL_COMMENT || tok.Token == pg.Token_C_COMMENT {
			continue
		}
		switch this := tok.Token; {
		case inName && (before == pg.Token_ASCII_46 || this == pg.Token_ASCII_46 || this == pg.Token_ASCII_41 || this == pg.Token_ASCII_42):
		case inName, before == pg.Token_ASCII_44 && depth == 0:
			inName = false
			places = append(places, s.Tree.Position(tok.Start))
		case this == pg.Token_ASCII_40, this == pg.Token_ASCII_91:
			depth++
		case this == pg.Token_ASCII_41, this == pg.Token_ASCII_93:
			depth--
		}
		before = tok.Token
	}
	return append(places, make([]int, n)...)[:n]
}
