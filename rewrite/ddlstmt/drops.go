package ddlstmt

import (
	"errors"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Drops is what DROP asks for.
type Drops struct {
	Object   string       // what is dropped, as messages name it: "table"
	Names    []syntax.Ref // without positions: the parser keeps none, and PostgreSQL's errors have none
	Parts    []string     // by Names: of a trigger, policy or rule its name, Names having the table; of a function its argument types
	IfExists bool
	Cascade  bool
}

// dropped are the objects that DROP is read of, as messages name them.
var dropped = map[pg.ObjectType]string{
	pg.ObjectType_OBJECT_TABLE: "table", pg.ObjectType_OBJECT_VIEW: "view", pg.ObjectType_OBJECT_MATVIEW: "materialized view",
	pg.ObjectType_OBJECT_INDEX: "index", pg.ObjectType_OBJECT_SEQUENCE: "sequence", pg.ObjectType_OBJECT_FOREIGN_TABLE: "foreign table",
	pg.ObjectType_OBJECT_SCHEMA: "schema", pg.ObjectType_OBJECT_EXTENSION: "extension",
	pg.ObjectType_OBJECT_TYPE: "type", pg.ObjectType_OBJECT_DOMAIN: "type",
	pg.ObjectType_OBJECT_TRIGGER: "trigger", pg.ObjectType_OBJECT_POLICY: "policy", pg.ObjectType_OBJECT_RULE: "rule",
	pg.ObjectType_OBJECT_FUNCTION: "function", pg.ObjectType_OBJECT_PROCEDURE: "procedure",
}

// ParseDrops reads a DROP. One of what is not among dropped is 0A000, and so is one of a
// function or type of PostgreSQL's.
func ParseDrops(s *syntax.Statement) (*Drops, error) {
	n := s.Node.GetDropStmt()
	if n == nil {
		return nil, errors.New("drops: the statement is " + s.Tag)
	}
	notYet := pgerr.Unsupported("%s is not supported yet", s.Tag)
	d := &Drops{Object: dropped[n.RemoveType], IfExists: n.MissingOk, Cascade: n.Behavior == pg.DropBehavior_DROP_CASCADE}
	if d.Object == "" {
		return nil, notYet
	}
	for _, o := range n.Objects {
		parts, part := o.GetList().GetItems(), ""
		switch d.Object {
		case "schema", "extension":
			parts = []*pg.Node{o}
		case "type":
			if parts = o.GetTypeName().GetNames(); len(parts) == 0 || isType(o.GetTypeName()) {
				return nil, notYet
			}
		case "trigger", "policy", "rule":
			parts, part = parts[:len(parts)-1], syntax.Strings(parts)[len(parts)-1]
		case "function", "procedure":
			var err error
			if parts, part, err = droppedFunction(s, o.GetObjectWithArgs(), d.IfExists); err != nil {
				return nil, err
			}
			if name := syntax.Strings(parts)[len(parts)-1]; len(functions.ByName[name]) > 0 || functions.SessionResults[name] != 0 {
				return nil, notYet
			}
		}
		ref, err := parseName(s, parts)
		if err != nil {
			return nil, err
		}
		d.Names, d.Parts = append(d.Names, ref), append(d.Parts, part)
	}
	return d, nil
}

// isType reports whether there is a type of a name.
func isType(n *pg.TypeName) bool {
	_, err := syntax.NamedType(n)
	return err == nil || err.Code != pgerr.UndefinedObject
}

// droppedFunction is the name of a function and its argument types, "" where none are
// given: as the parser has them for the NOTICE of IF EXISTS, and as they are called for
// an error.
func droppedFunction(s *syntax.Statement, o *pg.ObjectWithArgs, parsed bool) (name []*pg.Node, args string, err error) {
	if o.ArgsUnspecified {
		return o.Objname, "", nil
	}
	var typs []string
	for _, a := range o.Objargs {
		n := a.GetTypeName()
		ty, err := syntax.TypeOf(s.Tree, n)
		if err != nil {
			return nil, "", err
		}
		text := ty.String()
		if parsed {
			text = strings.Join(syntax.Strings(n.Names), ".") + strings.Repeat("[]", len(n.ArrayBounds))
		}
		typs = append(typs, text)
	}
	comma := ", "
	if parsed {
		comma = ","
	}
	return o.Objname, "(" + strings.Join(typs, comma) + ")", nil
}

// Comment is what COMMENT ON asks for.
type Comment struct {
	Table  syntax.Ref // the relation, without a position, as those of Drops; zero for a schema
	Column string     // "" for a comment on the relation
	On     string     // "table", "view", "materialized view", "sequence", "index", "constraint" or "schema"; "" of a column
	Name   string     // of the constraint or schema
	Text   *string    // nil removes the comment
}

// ParseComment reads a COMMENT ON a relation, or on a column, constraint or schema. One on
// anything else is 0A000.
func ParseComment(s *syntax.Statement) (*Comment, error) {
	n := s.Node.GetCommentStmt()
	if n == nil {
		return nil, errors.New("comment: the statement is " + s.Tag)
	}
	c := &Comment{}
	names := n.Object.GetList().GetItems()
	switch n.Objtype {
	case pg.ObjectType_OBJECT_TABLE, pg.ObjectType_OBJECT_VIEW, pg.ObjectType_OBJECT_MATVIEW, pg.ObjectType_OBJECT_SEQUENCE, pg.ObjectType_OBJECT_INDEX:
		c.On = dropped[n.Objtype]
	case pg.ObjectType_OBJECT_SCHEMA:
		c.On, c.Name = dropped[n.Objtype], n.Object.GetString_().GetSval()
	case pg.ObjectType_OBJECT_TABCONSTRAINT:
		c.On, c.Name = "constraint", names[len(names)-1].GetString_().GetSval()
		names = names[:len(names)-1]
	case pg.ObjectType_OBJECT_COLUMN:
		if len(names) < 2 {
			return nil, pgerr.New(pgerr.SyntaxError, "column name must be qualified")
		}
		c.Column = names[len(names)-1].GetString_().GetSval()
		names = names[:len(names)-1]
	default:
		return nil, pgerr.Unsupported("COMMENT ON %s is not supported", syntax.ObjectWords(n.Objtype))
	}
	if c.On != "schema" {
		var err error
		if c.Table, err = parseName(s, names); err != nil {
			return nil, err
		}
	}
	if n.Comment != "" { // an empty comment removes it, as in PostgreSQL
		c.Text = &n.Comment
	}
	return c, nil
}

// parseName is the table of a name in parts.
func parseName(s *syntax.Statement, parts []*pg.Node) (syntax.Ref, error) {
	names := syntax.Strings(parts)
	v := syntax.RangeVarOf(names)
	if v == nil {
		return syntax.Ref{}, pgerr.New(pgerr.SyntaxError, "improper relation name (too many dotted names): %s", strings.Join(names, "."))
	}
	return s.RefOf(v), nil
}

// Truncated are the tables that a TRUNCATE names.
func Truncated(s *syntax.Statement) []syntax.Ref {
	var refs []syntax.Ref
	for _, n := range s.Node.GetTruncateStmt().GetRelations() {
		refs = append(refs, s.RefOf(n.GetRangeVar()))
	}
	return refs
}
