package rewrite

import (
	"errors"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// Drops is what DROP TABLE asks for.
type Drops struct {
	Tables   []Ref // without positions: the parser keeps none, and PostgreSQL's errors have none
	IfExists bool
	Cascade  bool
}

// Drops reads a DROP TABLE. DROP of anything else is 0A000.
func (s *Statement) Drops() (*Drops, error) {
	n := s.node.GetDropStmt()
	if n == nil {
		return nil, errors.New("drops: the statement is " + s.Tag)
	}
	if n.RemoveType != pg.ObjectType_OBJECT_TABLE {
		return nil, pgerr.Unsupported("%s is not supported yet", s.Tag)
	}
	d := &Drops{IfExists: n.MissingOk, Cascade: n.Behavior == pg.DropBehavior_DROP_CASCADE}
	for _, o := range n.Objects {
		ref, err := s.named(o.GetList().GetItems())
		if err != nil {
			return nil, err
		}
		d.Tables = append(d.Tables, ref)
	}
	return d, nil
}

// Comment is what COMMENT ON TABLE or COLUMN asks for.
type Comment struct {
	Table  Ref     // without a position, as those of Drops
	Column string  // "" for a comment on the table
	Text   *string // nil removes the comment
}

// Comment reads a COMMENT ON TABLE or COLUMN. One on anything else is 0A000.
func (s *Statement) Comment() (*Comment, error) {
	n := s.node.GetCommentStmt()
	if n == nil {
		return nil, errors.New("comment: the statement is " + s.Tag)
	}
	c := &Comment{}
	names := n.Object.GetList().GetItems()
	switch n.Objtype {
	case pg.ObjectType_OBJECT_TABLE:
	case pg.ObjectType_OBJECT_COLUMN:
		if len(names) < 2 {
			return nil, pgerr.New(pgerr.SyntaxError, "column name must be qualified")
		}
		c.Column = names[len(names)-1].GetString_().GetSval()
		names = names[:len(names)-1]
	default:
		return nil, pgerr.Unsupported("COMMENT ON %s is not supported", objectWord(n.Objtype))
	}
	var err error
	if c.Table, err = s.named(names); err != nil {
		return nil, err
	}
	if n.Comment != "" { // an empty one is none, as in PostgreSQL
		c.Text = &n.Comment
	}
	return c, nil
}

// named is the table of a name in parts.
func (s *Statement) named(parts []*pg.Node) (Ref, error) {
	names := strs(parts)
	v := rangeOf(names)
	if v == nil {
		return Ref{}, pgerr.New(pgerr.SyntaxError, "improper relation name (too many dotted names): %s", strings.Join(names, "."))
	}
	return s.ref(v), nil
}
