package ddlstmt

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Reference is a FOREIGN KEY.
type Reference struct {
	Columns      []string // the referencing ones
	Table        syntax.Ref
	TableColumns []string // the referenced ones, nil where the statement leaves it to the key
	Position     int      // where the constraint begins

	// Of ordinary tables only:
	Name               string // "" for PostgreSQL's
	Full               bool   // MATCH FULL
	OnUpdate, OnDelete byte   // as pg_constraint has them
	SetColumns         []string
	Timing             Timing
	NotValid           bool
}

// storedReference adds a FOREIGN KEY of an ordinary table.
func (d *definer) storedReference(n *pg.Constraint, columns []string, at int) error {
	if columns == nil {
		columns = syntax.Strings(n.FkAttrs)
	}
	if n.FkMatchtype == "p" {
		return pgerr.Unsupported("MATCH PARTIAL not yet implemented").At(at)
	}
	d.References = append(d.References, Reference{
		Columns: columns, Table: d.st.RefOf(n.Pktable), TableColumns: syntax.Strings(n.PkAttrs), Position: at,
		Name: n.Conname, Full: n.FkMatchtype == "f", OnUpdate: keyAction(n.FkUpdAction), OnDelete: keyAction(n.FkDelAction),
		SetColumns: syntax.Strings(n.FkDelSetCols), Timing: Timing{n.Deferrable, n.Initdeferred}, NotValid: n.SkipValidation && !n.InitiallyValid,
	})
	return nil
}

func keyAction(action string) byte {
	if action == "" {
		return 'a'
	}
	return action[0]
}

// SetConstraints is what SET CONSTRAINTS asks for.
type SetConstraints struct {
	Names    []syntax.Ref // nil for ALL
	Deferred bool
}

// ParseSetConstraints reads a SET CONSTRAINTS.
func ParseSetConstraints(s *syntax.Statement) SetConstraints {
	n := s.Node.GetConstraintsSetStmt()
	c := SetConstraints{Deferred: n.Deferred}
	for _, name := range n.Constraints {
		c.Names = append(c.Names, s.RefOf(name.GetRangeVar()))
	}
	return c
}

// TruncatesCascade reports whether a TRUNCATE says CASCADE.
func TruncatesCascade(s *syntax.Statement) bool {
	return s.Node.GetTruncateStmt().GetBehavior() == pg.DropBehavior_DROP_CASCADE
}
