package ddlstmt

import (
	"errors"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Index is what CREATE INDEX asks for.
type Index struct {
	Name         string // "" for PostgreSQL's
	IfNotExists  bool
	Concurrently bool
	Unique       bool
	Method       string
	Keys         []IndexKey
	Include      []string // columns that the index has besides its key
	Where        string   // the condition of a partial index, "" for none
	WhereColumns []string
	Options      []string // the storage parameters, as pg_class.reloptions has them
}

// IndexKey is a part of the key of an index: a column or an expression.
type IndexKey struct {
	Column    string // "" for an expression
	Text      string // of the expression
	Columns   []string
	Type      types.Type
	Label     string // the column's name in the index
	Collation string // "" for the column's own
	Class     string // the operator class, "" for the default
	Desc      bool
	First     bool // NULLS FIRST
}

// IsCall reports whether pg_get_indexdef prints the expression without parentheses.
func (k *IndexKey) IsCall() bool { return strings.HasSuffix(k.Text, ")") && k.Label != "" }

// ParseIndex reads a CREATE INDEX on a table.
func ParseIndex(s *syntax.Statement, table scope.Shape, env scope.Env) (d *Index, err error) {
	n := s.Node.GetIndexStmt()
	d = &Index{Name: n.Idxname, IfNotExists: n.IfNotExists, Concurrently: n.Concurrent, Unique: n.Unique, Method: n.AccessMethod}
	if err := d.method(n); err != nil {
		return nil, err
	}
	if d.Options, err = storageOptions(n.Options, indexParameters[d.Method], ""); err != nil {
		return nil, err
	}
	if n.TableSpace != "" {
		return nil, pgerr.Unsupported("TABLESPACE is not supported").At(s.Target.Position)
	}
	if n.NullsNotDistinct && n.Unique {
		return nil, pgerr.Unsupported("NULLS NOT DISTINCT is not supported").At(s.Target.Position)
	}
	b, err := overTable(table, env)
	if err != nil {
		return nil, err
	}
	defer scope.Recover(&err)
	_, ns := b.Reference(0, nil, -1)
	r := indexReader{Index: d, b: b, st: s, table: table, ns: ns, mutable: map[string]bool{}}
	for _, e := range n.IndexParams {
		r.key(e.GetIndexElem())
	}
	for _, e := range n.IndexIncludingParams {
		name := e.GetIndexElem().Name
		if name == "" {
			b.Fail(pgerr.Unsupported("expressions are not supported in included columns"), -1)
		}
		r.column(name)
		d.Include = append(d.Include, name)
	}
	if n.WhereClause != nil {
		r.where(n.WhereClause)
	}
	switch {
	case r.mutable[defaults.InPredicate]:
		return nil, notImmutable("predicate")
	case r.mutable[defaults.InIndex]:
		return nil, notImmutable("expression")
	}
	return d, nil
}

// method checks the access method.
func (d *Index) method(n *pg.IndexStmt) error {
	ordered, several, includes := false, true, false
	switch d.Method {
	case "btree":
		return nil
	case "hash":
		several = false
	case "gist":
		includes = true
	case "gin", "brin":
	default:
		return pgerr.New(pgerr.UndefinedObject, "access method %q does not exist", d.Method)
	}
	refuse := func(format string) error { return pgerr.Unsupported(format, d.Method) }
	switch {
	case d.Unique:
		return refuse("access method %q does not support unique indexes")
	case !includes && len(n.IndexIncludingParams) > 0:
		return refuse("access method %q does not support included columns")
	case !several && len(n.IndexParams) > 1:
		return refuse("access method %q does not support multicolumn indexes")
	}
	for _, p := range n.IndexParams {
		e := p.GetIndexElem()
		if !ordered && e.Ordering != pg.SortByDir_SORTBY_DEFAULT {
			return refuse("access method %q does not support ASC/DESC options")
		}
		if !ordered && e.NullsOrdering != pg.SortByNulls_SORTBY_NULLS_DEFAULT {
			return refuse("access method %q does not support NULLS FIRST/LAST options")
		}
	}
	return nil
}

// indexReader resolves the parts of an index.
type indexReader struct {
	*Index
	b     *query.Binder
	st    *syntax.Statement
	table scope.Shape
	ns    scope.Namespace
	// mutable has the places, expressions or the condition, with something that is not immutable.
	mutable map[string]bool
}

// notImmutable is the error of a function in an index whose result may change.
func notImmutable(place string) error {
	return pgerr.New(pgerr.InvalidObjectDefinition, "functions in index %s must be marked IMMUTABLE", place)
}

// column finds a column of the table.
func (r *indexReader) column(name string) types.Type {
	for i, c := range r.table.Columns {
		if c.Name == name {
			ty := r.table.TypeOf(i)
			ty.OID = types.External(ty.OID)
			return ty
		}
	}
	if scope.IsSystemColumn(name) {
		r.b.Fail(pgerr.Unsupported("index creation on system columns is not supported"), -1)
	}
	r.b.Fail(pgerr.New(pgerr.UndefinedColumn, "column %q does not exist", name), -1)
	return types.Type{}
}

func (r *indexReader) key(e *pg.IndexElem) {
	k := IndexKey{Column: e.Name, Desc: e.Ordering == pg.SortByDir_SORTBY_DESC}
	k.First = e.NullsOrdering == pg.SortByNulls_SORTBY_NULLS_FIRST || e.NullsOrdering == pg.SortByNulls_SORTBY_NULLS_DEFAULT && k.Desc
	if e.Expr != nil {
		x := r.expression(e.Expr, defaults.InIndex, func(e scope.Expr) {
			if k.Type = e.Type; e.Type.OID == types.Unknown {
				k.Type = types.Of(types.Text)
			}
			k.Type.OID = types.External(k.Type.OID)
		})
		k.Text, k.Columns, k.Label = x.String(), x.Columns(), query.IndexColumnName(e.Expr)
		if ref := e.Expr.GetColumnRef(); ref != nil { // parentheses do not make an expression of a column
			k.Column, k.Text = k.Label, ""
		}
	}
	if k.Column != "" {
		k.Type, k.Label, k.Columns = r.column(k.Column), k.Column, []string{k.Column}
	}
	if len(e.Collation) > 0 {
		if err := syntax.CheckCollation(&pg.CollateClause{Collname: e.Collation}); err != nil {
			r.b.Fail(err, -1)
		}
		if name := syntax.Strings(e.Collation); name[len(name)-1] != "default" {
			k.Collation = name[len(name)-1]
		}
	}
	if names := syntax.Strings(e.Opclass); len(names) > 0 {
		k.Class = names[len(names)-1]
	}
	r.Keys = append(r.Keys, k)
}

// expression resolves an expression of the table's columns.
func (r *indexReader) expression(n *pg.Node, clause string, use func(scope.Expr)) *defaults.Expression {
	x, err := defaults.NewExpression(r.st, n)
	if err == nil && r.Unique {
		err = x.CheckKept("expression of a unique index")
	}
	var e *pgerr.Error
	if errors.As(err, &e) {
		r.b.Fail(e, -1)
	}
	l := &scope.Level{Namespace: r.ns, Clause: clause}
	defaults.ResolveAlone(r.b.Binder, x, l, func(e scope.Expr) {
		use(e)
		if x.IsMutable(r.b.Binder, l) {
			r.mutable[clause] = true
		}
	})
	return x
}

func (r *indexReader) where(n *pg.Node) {
	x := r.expression(n, defaults.InPredicate, func(e scope.Expr) {
		if e.Type.OID != types.Bool && e.Type.OID != types.Unknown {
			r.b.Fail(pgerr.New(pgerr.DatatypeMismatch, "argument of WHERE must be type boolean, not type %s", e.Type), syntax.Location(n))
		}
	})
	r.Where, r.WhereColumns = x.String(), x.Columns()
}
