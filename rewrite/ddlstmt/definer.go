package ddlstmt

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// definer reads the elements of a CREATE TABLE, or the column of an ADD COLUMN.
type definer struct {
	*Definition
	st     *syntax.Statement
	values []columnDefault
}

// columnDefault is the DEFAULT expression of a column.
type columnDefault struct {
	column string
	value  *defaults.Expression
}

// The bits of TableLikeClause.options that mean something here (PostgreSQL's
// parsenodes.h).
const (
	likeComments    = 1 << 0
	likeConstraints = 1 << 2
	likeDefaults    = 1 << 3
	likeGenerated   = 1 << 4
	likeIdentity    = 1 << 5
	likeIndexes     = 1 << 6
)

func (d *definer) element(n *pg.Node) error {
	switch e := n.Node.(type) {
	case *pg.Node_ColumnDef:
		return d.addColumn(e.ColumnDef)
	case *pg.Node_Constraint:
		return d.constraint(e.Constraint, nil)
	case *pg.Node_TableLikeClause:
		l := e.TableLikeClause
		d.Likes = append(d.Likes, Like{
			Table: d.st.RefOf(l.Relation), At: len(d.Columns),
			Defaults: l.Options&likeDefaults != 0, Comments: l.Options&likeComments != 0, Indexes: l.Options&likeIndexes != 0, Checks: l.Options&likeConstraints != 0,
			Identity: l.Options&likeIdentity != 0, Generated: l.Options&likeGenerated != 0,
		})
	}
	return nil
}

func (d *definer) addColumn(n *pg.ColumnDef) error {
	c := ColumnDefinition{Name: n.Colname, Position: d.st.Tree.Position(n.Location)}
	switch {
	case scope.IsSystemColumn(c.Name):
		return expression.SystemColumnConflict(c.Name)
	case n.StorageName != "":
		return pgerr.Unsupported("STORAGE is not supported").At(c.Position)
	case n.Compression != "":
		return pgerr.Unsupported("COMPRESSION is not supported").At(c.Position)
	case len(n.Fdwoptions) > 0:
		return pgerr.Unsupported("OPTIONS of a column is not supported").At(c.Position)
	}
	var err error
	if serial := d.serial(n); serial != nil {
		n, c.NotNull, c.Sequence = serial, true, &SequenceOptions{}
	}
	if c.Type, err = declaredType(d.st.Tree, c.Name, n.TypeName, d.Ordinary); err != nil {
		return err
	}
	if err := checkColumnCollation(d.st.Tree, c.Type, n.CollClause); err != nil {
		return err
	}
	d.Columns = append(d.Columns, c)
	return d.columnConstraints(n, &d.Columns[len(d.Columns)-1])
}

// columnConstraints reads the constraints of a column.
func (d *definer) columnConstraints(n *pg.ColumnDef, c *ColumnDefinition) error {
	nulls := pg.ConstrType_CONSTR_TYPE_UNDEFINED
	hasDefault := false
	timing := timingClauses{definer: d}
	for _, node := range n.Constraints {
		k := node.GetConstraint()
		at := d.st.Tree.Position(k.Location)
		switch k.Contype {
		case pg.ConstrType_CONSTR_NULL, pg.ConstrType_CONSTR_NOTNULL:
			if nulls != pg.ConstrType_CONSTR_TYPE_UNDEFINED && nulls != k.Contype {
				return pgerr.New(pgerr.SyntaxError, "conflicting NULL/NOT NULL declarations for column %q of table %q", c.Name, d.Table.Name).At(at)
			}
			nulls = k.Contype
			c.NotNull = k.Contype == pg.ConstrType_CONSTR_NOTNULL
		case pg.ConstrType_CONSTR_DEFAULT:
			if hasDefault {
				return pgerr.New(pgerr.SyntaxError, "multiple default values specified for column %q of table %q", c.Name, d.Table.Name).At(at)
			}
			if c.Generated != nil {
				return d.generatedBeside("default", c, at)
			}
			hasDefault = true
			value, err := defaults.NewExpression(d.st, k.RawExpr)
			if err != nil {
				return err
			}
			d.values = append(d.values, columnDefault{c.Name, value})
		case pg.ConstrType_CONSTR_IDENTITY:
			if err := d.identity(k, c, hasDefault); err != nil {
				return err
			}
			hasDefault = true
		case pg.ConstrType_CONSTR_GENERATED:
			if err := d.generated(k, c, hasDefault); err != nil {
				return err
			}
		case pg.ConstrType_CONSTR_ATTR_DEFERRABLE, pg.ConstrType_CONSTR_ATTR_DEFERRED,
			pg.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE, pg.ConstrType_CONSTR_ATTR_IMMEDIATE:
			if err := timing.read(k.Contype, at); err != nil {
				return err
			}
			continue
		default:
			if err := d.constraint(k, []string{c.Name}); err != nil {
				return err
			}
		}
		timing.behind(k.Contype)
	}
	if c.Sequence != nil && c.Identity == 0 { // PostgreSQL appends the constraints of a serial column
		return d.checkSerial(c, hasDefault, nulls == pg.ConstrType_CONSTR_NULL)
	}
	return nil
}

// constraint reads a constraint of the table, or of the one column in columns.
func (d *definer) constraint(n *pg.Constraint, columns []string) error {
	at := d.st.Tree.Position(n.Location)
	if n.Contype == pg.ConstrType_CONSTR_PRIMARY && d.Key != nil {
		return twoKeys(d.Table.Name).At(at)
	}
	if feature := constraintFeature(n, d.Ordinary); feature != "" {
		return pgerr.Unsupported("%s is not supported", feature).At(at)
	}
	if d.Ordinary {
		return d.storedConstraint(n, columns, at)
	}
	name := d.Table.Name + "_pkey"
	if n.Contype == pg.ConstrType_CONSTR_PRIMARY {
		if columns == nil {
			columns = syntax.Strings(n.Keys)
		}
		for _, c := range columns {
			d.Key = append(d.Key, KeyColumn{Name: c, Position: at})
		}
	} else {
		if columns == nil {
			columns = syntax.Strings(n.FkAttrs)
		}
		if slices.ContainsFunc([]string{n.FkUpdAction, n.FkDelAction}, func(a string) bool { return a == "c" || a == "n" || a == "d" }) {
			return pgerr.Unsupported("an action of ON DELETE or ON UPDATE is not supported").At(at).
				WithHint("Rows are never deleted and their keys never change: leave the clause out.")
		}
		r := Reference{Columns: columns, Table: d.st.RefOf(n.Pktable), Position: at}
		if len(n.PkAttrs) > 0 {
			r.TableColumns = syntax.Strings(n.PkAttrs)
		}
		d.References = append(d.References, r)
		name = d.Table.Name
		for _, c := range columns {
			name += "_" + c
		}
		name += "_fkey"
	}
	if n.Conname != "" && n.Conname != name {
		d.Named = append(d.Named, NamedConstraint{Given: n.Conname, Name: name})
	}
	return nil
}

// storedConstraint reads a constraint of an ordinary table.
func (d *definer) storedConstraint(n *pg.Constraint, columns []string, at int) error {
	if n.Contype == pg.ConstrType_CONSTR_CHECK {
		condition, err := defaults.NewExpression(d.st, n.RawExpr)
		if err != nil {
			return err
		}
		c := CheckConstraint{Name: n.Conname, Text: condition.String(), Columns: condition.Columns(), NotValid: n.SkipValidation && !n.InitiallyValid, Position: at, Condition: condition}
		if len(columns) > 0 {
			c.Column = columns[0]
		}
		d.Checks = append(d.Checks, c)
		return nil
	}
	if n.Contype == pg.ConstrType_CONSTR_FOREIGN {
		return d.storedReference(n, columns, at)
	}
	if columns == nil {
		columns = syntax.Strings(n.Keys)
	}
	options, err := storageOptions(n.Options, indexParameters["btree"], "")
	if err != nil {
		return err
	}
	if n.Contype == pg.ConstrType_CONSTR_UNIQUE {
		d.Uniques = append(d.Uniques, UniqueConstraint{Name: n.Conname, Columns: columns, Timing: Timing{n.Deferrable, n.Initdeferred}, Options: options, Position: at})
		return nil
	}
	d.KeyName, d.KeyTiming, d.KeyOptions = n.Conname, Timing{n.Deferrable, n.Initdeferred}, options
	for _, c := range columns {
		d.Key = append(d.Key, KeyColumn{Name: c, Position: at})
	}
	return nil
}

// constraintFeature names what a constraint has that no table here can have, "" for
// nothing.
func constraintFeature(n *pg.Constraint, stored bool) string {
	switch n.Contype {
	case pg.ConstrType_CONSTR_PRIMARY:
	case pg.ConstrType_CONSTR_FOREIGN:
		if stored {
			return ""
		}
	case pg.ConstrType_CONSTR_IDENTITY:
		return "GENERATED AS IDENTITY"
	case pg.ConstrType_CONSTR_CHECK:
		if !stored {
			return "CHECK"
		}
	case pg.ConstrType_CONSTR_UNIQUE:
		if !stored {
			return "UNIQUE"
		}
		if n.NullsNotDistinct {
			return "NULLS NOT DISTINCT"
		}
	case pg.ConstrType_CONSTR_EXCLUSION:
		return "EXCLUDE"
	default:
		return "this constraint"
	}
	switch {
	case !stored && (n.Deferrable || n.Initdeferred):
		return "DEFERRABLE"
	case len(n.Including) > 0:
		return "INCLUDE in a key"
	case !stored && len(n.Options) > 0:
		return "a storage parameter"
	case n.Indexspace != "":
		return "TABLESPACE"
	case n.Indexname != "":
		return "a constraint USING INDEX"
	}
	return ""
}

// defaults checks the DEFAULT expressions and keeps their texts.
func (d *definer) defaults(env scope.Env) error {
	for _, v := range d.values {
		c := d.column(v.column)
		text, err := v.value.DefaultOf(c.Name, types.Of(c.Type.OID), env)
		if err != nil {
			return err
		}
		c.Default = text
	}
	return nil
}
