package ddlstmt

import (
	"slices"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Vacuum is what VACUUM or ANALYZE asks for.
type Vacuum struct {
	Analyze bool // the statement is ANALYZE
	Tables  []syntax.Ref
	Columns [][]string // by Tables
}

// The options of VACUUM and ANALYZE (PostgreSQL's vacuum.c).
var (
	analyzeOptions = []string{"verbose", "skip_locked"}
	vacuumOptions  = []string{
		"verbose", "skip_locked", "analyze", "freeze", "full", "disable_page_skipping", "index_cleanup", "process_toast", "truncate", "parallel",
	}
)

// ParseVacuum reads a VACUUM or ANALYZE.
func ParseVacuum(s *syntax.Statement) (*Vacuum, error) {
	n := s.Node.GetVacuumStmt()
	v := &Vacuum{Analyze: !n.IsVacuumcmd}
	known, columns := vacuumOptions, v.Analyze
	if v.Analyze {
		known = analyzeOptions
	}
	for _, o := range n.Options {
		e := o.GetDefElem()
		if !slices.Contains(known, e.Defname) {
			return nil, pgerr.New(pgerr.SyntaxError, "unrecognized %s option %q", s.Tag, e.Defname).At(s.Tree.Position(e.Location))
		}
		columns = columns || e.Defname == "analyze"
	}
	for _, r := range n.Rels {
		rel := r.GetVacuumRelation()
		if len(rel.VaCols) > 0 && !columns {
			return nil, pgerr.Unsupported("ANALYZE option must be specified when a column list is provided")
		}
		v.Tables, v.Columns = append(v.Tables, s.RefOf(rel.Relation)), append(v.Columns, syntax.Strings(rel.VaCols))
	}
	return v, nil
}
