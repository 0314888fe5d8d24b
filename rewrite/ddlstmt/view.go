package ddlstmt

import (
	"errors"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ViewDefinition is the view that CREATE VIEW asks for.
type ViewDefinition struct {
	View      syntax.Ref
	Replace   bool // CREATE OR REPLACE
	Temporary bool
	// Names are the names that the statement gives to the first columns.
	Names []string
	// Query is the SELECT. It is scoped as any other statement.
	Query *syntax.Statement
	// Text is the query as the statement spells it.
	Text string
	// Options are those of WITH, as pg_class.reloptions has them.
	Options []string
}

// ViewColumn is a column of a view.
type ViewColumn struct {
	Name string
	Type types.Type
}

// ParseView reads a CREATE VIEW. WITH CHECK OPTION is one of the options.
func ParseView(s *syntax.Statement) (*ViewDefinition, error) {
	n := s.Node.GetViewStmt()
	if n == nil {
		return nil, errors.New("view: the statement is " + s.Tag)
	}
	d := &ViewDefinition{View: *s.Target, Replace: n.Replace, Temporary: temporary(n.View), Names: syntax.Strings(n.Aliases)}
	switch {
	case n.View.Relpersistence == "u":
		return nil, pgerr.New(pgerr.SyntaxError, "views cannot be unlogged because they do not have storage")
	case n.View.Relpersistence == "t" && n.View.Schemaname != "" && !isTempSchema(n.View.Schemaname):
		return nil, pgerr.New(pgerr.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema")
	}
	options := n.Options
	if check := checkOptions[n.WithCheckOption]; check != "" {
		options = append(slices.Clone(options), &pg.Node{Node: &pg.Node_DefElem{DefElem: &pg.DefElem{Defname: checkOption, Arg: pg.MakeStrNode(check)}}})
	}
	var err error
	if d.Options, err = viewOptions(options); err != nil {
		return nil, err
	}
	if d.Query, err = syntax.NewStatement(s.Tree, n.Query); err != nil {
		return nil, err
	}
	d.Text = afterAs(s.SQL)
	switch {
	case d.Query.Kind == syntax.CreateTableAs:
		return nil, pgerr.Unsupported("views must not contain SELECT INTO")
	case !d.Query.ReadOnly:
		return nil, pgerr.Unsupported("views must not contain data-modifying statements in WITH")
	}
	return d, nil
}

// Columns are the columns of the view, whose query has some outputs.
func (d *ViewDefinition) Columns(query []scope.Output) ([]ViewColumn, error) {
	if len(d.Names) > len(query) {
		return nil, pgerr.New(pgerr.SyntaxError, "CREATE VIEW specifies more column names than columns")
	}
	if len(query) == 0 {
		return nil, pgerr.New(pgerr.InvalidTableDefinition, "view must have at least one column")
	}
	if len(query) > MaxColumns {
		return nil, pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", MaxColumns)
	}
	var out []ViewColumn
	seen := map[string]bool{}
	for i, o := range query {
		c := ViewColumn{Name: o.Name, Type: types.Type{OID: o.OID, Typmod: o.Typmod}}
		if i < len(d.Names) {
			c.Name = d.Names[i]
		}
		if seen[c.Name] {
			return nil, pgerr.New(pgerr.DuplicateColumn, "column %q specified more than once", c.Name)
		}
		seen[c.Name] = true
		if c.Type.OID == types.Unknown {
			c.Type = types.Of(types.Text)
		}
		if c.Type.Category() == 'P' {
			return nil, pgerr.New(pgerr.InvalidTableDefinition, "column %q has pseudo-type %s", c.Name, c.Type)
		}
		out = append(out, c)
	}
	return out, nil
}

// CheckReplaced is the error of columns that do not begin with those of the view that they
// replace (PostgreSQL's checkViewColumns).
func CheckReplaced(old, columns []ViewColumn) error {
	if len(columns) < len(old) {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot drop columns from view")
	}
	for i, had := range old {
		c := columns[i]
		if c.Name != had.Name {
			return pgerr.New(pgerr.InvalidTableDefinition, "cannot change name of view column %q to %q", had.Name, c.Name).
				WithHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
		}
		if c.Type.OID != had.Type.OID || c.Type.Typmod != had.Type.Typmod {
			return pgerr.New(pgerr.InvalidTableDefinition, "cannot change data type of view column %q from %s to %s", had.Name, declaredName(had.Type), declaredName(c.Type))
		}
	}
	return nil
}

// afterAs is the part of a CREATE VIEW behind its AS.
func afterAs(sql string) string {
	scan, err := pg.Scan(sql)
	if err != nil {
		return sql
	}
	if at := syntax.AfterAs(scan.Tokens); at > 0 {
		return syntax.Bare(sql[at:])
	}
	return sql
}

// Rename is what a RENAME TO or RENAME COLUMN asks for.
type Rename struct {
	Column string // "" for the relation itself
	To     string
}

// ParseRename reads ALTER TABLE, ALTER VIEW, ALTER MATERIALIZED VIEW and ALTER INDEX with RENAME
// TO or RENAME COLUMN. It is nil for any other statement.
func ParseRename(s *syntax.Statement) *Rename {
	n := s.Node.GetRenameStmt()
	switch n.GetRenameType() {
	case pg.ObjectType_OBJECT_VIEW, pg.ObjectType_OBJECT_MATVIEW, pg.ObjectType_OBJECT_TABLE, pg.ObjectType_OBJECT_INDEX:
		return &Rename{To: n.Newname}
	case pg.ObjectType_OBJECT_COLUMN:
		return &Rename{Column: n.Subname, To: n.Newname}
	}
	return nil
}

// Altered is the kind of the relation that an ALTER says that it changes, "" for any: ALTER TABLE
// and ALTER INDEX RENAME name relations of all kinds.
func Altered(s *syntax.Statement) string {
	switch s.Tag {
	case "ALTER VIEW":
		return "view"
	case "ALTER MATERIALIZED VIEW":
		return "materialized view"
	case "ALTER SEQUENCE":
		return "sequence"
	case "ALTER INDEX":
		if s.Node.GetAlterTableStmt() != nil {
			return "index"
		}
	}
	return ""
}

// IfExists reports whether an ALTER says IF EXISTS.
func IfExists(s *syntax.Statement) bool {
	return s.Node.GetRenameStmt().GetMissingOk() || s.Node.GetAlterTableStmt().GetMissingOk() || s.Node.GetAlterObjectSchemaStmt().GetMissingOk()
}
