package ddlstmt

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Reindex is what REINDEX asks for.
type Reindex struct {
	Of           string // INDEX, TABLE, SCHEMA, SYSTEM or DATABASE
	Relation     syntax.Ref
	Name         string // of the schema or database
	Concurrently bool
}

// ParseReindex reads a REINDEX.
func ParseReindex(s *syntax.Statement) (*Reindex, error) {
	n := s.Node.GetReindexStmt()
	r := &Reindex{Name: n.Name}
	switch n.Kind {
	case pg.ReindexObjectType_REINDEX_OBJECT_INDEX:
		r.Of = "INDEX"
	case pg.ReindexObjectType_REINDEX_OBJECT_TABLE:
		r.Of = "TABLE"
	case pg.ReindexObjectType_REINDEX_OBJECT_SCHEMA:
		r.Of = "SCHEMA"
	case pg.ReindexObjectType_REINDEX_OBJECT_SYSTEM:
		r.Of = "SYSTEM"
	default:
		r.Of = "DATABASE"
	}
	if n.Relation != nil {
		r.Relation = s.RefOf(n.Relation)
	}
	for _, o := range n.Params {
		e := o.GetDefElem()
		switch {
		case e.Defname == "tablespace":
			return nil, pgerr.Unsupported("TABLESPACE of REINDEX is not supported").At(s.Tree.Position(e.Location))
		case !slices.Contains([]string{"verbose", "concurrently"}, e.Defname):
			return nil, pgerr.New(pgerr.SyntaxError, "unrecognized REINDEX option %q", e.Defname).At(s.Tree.Position(e.Location))
		case e.Defname == "concurrently":
			set, err := syntax.BoolOption(e)
			if err != nil {
				return nil, err
			}
			r.Concurrently = set
		}
	}
	return r, nil
}
