package expression

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"

	pg "github.com/pganalyze/pg_query_go/v6"
)

func (b *Binder) columnRef(c *pg.ColumnRef, l *scope.Level) scope.Expr {
	if c.Fields[len(c.Fields)-1].GetAStar() != nil {
		if len(c.Fields) == 1 {
			b.Fail(pgerr.New(pgerr.SyntaxError, "row expansion via \"*\" is not supported here"), c.Location)
		}
		r, _ := b.Qualifier(syntax.Strings(c.Fields[:len(c.Fields)-1]), l, c.Location)
		return b.wholeRow(r, l, c.Location)
	}
	names := syntax.Strings(c.Fields)
	last := names[len(names)-1]
	if b.Identifiers[strings.ToLower(last)] == 0 {
		b.Identifiers[strings.ToLower(last)] = b.Stmt.Tree.Position(c.Location)
	}
	if len(names) == 1 {
		f, at := l.FindColumn(b.State, last, c.Location)
		if f == nil {
			if r, at := l.FindRange("", last); r != nil {
				if r.Scalar {
					return b.ColumnExpr(r.Columns[0], c.Location, at)
				}
				return b.wholeRow(r, l, c.Location)
			}
			b.UndefinedColumn(l, last, c.Location)
		}
		return b.columnOf(f, c, l, at)
	}
	r, at := b.Qualifier(names[:len(names)-1], l, c.Location)
	f := r.Column(last)
	if f == nil {
		b.RefuseSystemColumn(last, []*scope.RangeEntry{r}, c.Location)
		err := pgerr.New(pgerr.UndefinedColumn, "column %s.%s does not exist", strings.Join(names[:len(names)-1], "."), last)
		b.Fail(err.WithHint("%s", scope.ColumnHint(l, names[len(names)-2], last)), c.Location)
	}
	return b.columnOf(f, c, l, at)
}

// columnOf uses a column of query level at, which is l or a level around it. An outer level
// that is grouped may have only one value of the column for each group.
func (b *Binder) columnOf(f *scope.Column, c *pg.ColumnRef, l, at *scope.Level) scope.Expr {
	if as := at.Grouped[f.SQL].SQL; at != l && as != "" && as != f.SQL {
		b.Unsupported(c.Location, "a subquery with a jsonb that the query around it groups by is not supported")
	}
	mark := len(b.ColumnUses)
	e := b.ColumnExpr(f, c.Location, at)
	if at != l && len(b.ColumnUses) == mark { // it is grouped by
		b.ColumnUses = append(b.ColumnUses, scope.ColumnUse{Column: f, Level: at, Location: c.Location})
	}
	for i := mark; i < len(b.ColumnUses); i++ {
		b.ColumnUses[i].InSubquery = at != l
	}
	return e
}

// ColumnExpr uses a column: its source must expose it. at is the level whose FROM
// has it.
func (b *Binder) ColumnExpr(f *scope.Column, loc int32, at *scope.Level) scope.Expr {
	if f.SetAtCommit {
		b.Fail(pgerr.Unsupported("system column %q is not known before the commit", f.Name).
			WithHint("ontosql.last_commit_id tells the commit afterwards."), loc)
	}
	f.Used = true
	if f.Range != nil && f.Range.Ref >= 0 && !f.Range.Below {
		if f.System {
			b.Uses[f.Range.Ref].System[f.Source] = true
		} else {
			b.Uses[f.Range.Ref].Columns[f.Source] = true
		}
	}
	grouped := at != nil && at.Grouped[f.SQL].SQL != ""
	if at != nil && !grouped {
		b.ColumnUses = append(b.ColumnUses, scope.ColumnUse{Column: f, Level: at, Location: loc})
	}
	e := scope.Expr{SQL: f.SQL, Type: f.Type, Column: f, Row: coercion.RowOfColumn(f), Printed: f.Printed, Location: loc}
	if grouped {
		e.Printed = "" // of many rows
	}
	if e.Row != nil {
		e.RowIsNull = f.SQL + " IS NULL"
	}
	return e.Means(plainColumn(f))
}

// plainColumn is a column as it is evaluated without the engine, nil if it is not.
func plainColumn(f *scope.Column) *rowexpr.Expr {
	if _, ok := coercion.PlainKind(f.Type); !ok {
		return nil
	}
	return rowexpr.Column(f.SQL, f.Type.Column())
}

// wholeRow is SELECT c FROM customer c. On the side of an outer join that may have no row
// one of NULLs alone is taken for none: every table has a key.
func (b *Binder) wholeRow(r *scope.RangeEntry, l *scope.Level, loc int32) scope.Expr {
	e := scope.Expr{Location: loc}
	_, at := l.FindRange("", r.Alias)
	nulls := make([]string, len(r.Columns))
	for i, f := range r.Columns {
		e.Row = append(e.Row, b.ColumnExpr(f, loc, at))
		nulls[i] = f.SQL + " IS NULL"
	}
	e.Type = coercion.RowOfExprs(e.Row)
	if e.SQL = rowText(e.Row); r.Nullable && len(nulls) > 0 {
		e.RowIsNull = strings.Join(nulls, " AND ")
		e.SQL = "CASE WHEN NOT (" + e.RowIsNull + ") THEN " + e.SQL + " END"
	}
	return e
}

// FirstColumnRef finds a column reference below n, but for those of queries within it.
func FirstColumnRef(n *pg.Node) *pg.ColumnRef {
	var found *pg.ColumnRef
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		if c, ok := m.(*pg.ColumnRef); ok && found == nil {
			found = c
		}
		_, inside := m.(*pg.SelectStmt)
		return found == nil && !inside
	})
	return found
}

// commitColumn is the system column of a type's relation that tells the commit
// of a row, which is what xmin shows of it.
const commitColumn = "commit_id"

// SystemColumnConflict is 42701 for a column with the name of a system column.
func SystemColumnConflict(name string) *pgerr.Error {
	return pgerr.New(pgerr.DuplicateColumn, "column name %q conflicts with a system column name", name)
}

// bootstrapXID is the transaction that made the rows of the catalog (PostgreSQL's
// BootstrapTransactionId). Its age is infinite.
const bootstrapXID = 1

// PostgresSystemColumns are PostgreSQL's own system columns (manual, 5.5) of reference i:
// tables have them, views do not. A row is of one transaction and never changed by
// another, so all but xmin are constants. Where a row lies only a relation of the
// catalog and an ordinary table can tell.
func (b *Binder) PostgresSystemColumns(i int, r *scope.RangeEntry) []*scope.Column {
	s := r.Shape
	commit := ""
	for _, c := range s.System {
		if c.Name == commitColumn {
			commit = enginesql.Quote(r.EngineAlias) + "." + enginesql.Quote(b.SystemAlias(i, c.Name))
		}
	}
	var all []*scope.Column
	constant := func(name, sql string, oid uint32) {
		all = append(all, &scope.Column{Name: name, SQL: sql, Type: types.Of(oid), System: true})
	}
	hidden := func(name string, oid uint32) {
		all = append(all, &scope.Column{Name: name, SQL: enginesql.Quote(r.EngineAlias) + "." + enginesql.Quote(b.SystemAlias(i, name)), Type: types.Of(oid), Range: r, Source: name, System: true})
	}
	tableoid := func() {
		constant("tableoid", enginesql.MacroPlaceholder("regclass_oid")+"("+enginesql.Literal(enginesql.Quote(s.Schema)+"."+enginesql.Quote(s.Table))+")", types.OID)
	}
	switch {
	case s.Kind == scope.StoredTable:
		tableoid()
		hidden("xmin", types.XID)
		hidden("ctid", types.TID)
	case s.OID != 0:
		constant("tableoid", "CAST("+strconv.FormatUint(uint64(s.OID), 10)+" AS UINTEGER)", types.OID)
		constant("xmin", "CAST("+strconv.Itoa(bootstrapXID)+" AS UINTEGER)", types.XID)
		hidden("ctid", types.TID)
	case commit != "":
		tableoid()
		all = append(all, &scope.Column{
			Name: "xmin", SQL: "CAST(" + commit + " & 4294967295 AS UINTEGER)", Type: types.Of(types.XID), Range: r, Source: commitColumn, System: true,
		})
	default:
		return nil
	}
	constant("cmin", "CAST(0 AS UINTEGER)", types.CID)
	constant("xmax", "CAST(0 AS UINTEGER)", types.XID)
	constant("cmax", "CAST(0 AS UINTEGER)", types.CID)
	return all
}

// onPages is ctid BETWEEN '(a,i)' AND '(b,j)' of a relation of a type, by which DuckDB's
// extension reads a table part by part. All rows count as that at (0,1), where the first
// row of a table lies: parts that together cover the pages of a table have each of its
// rows once. ok is false of all else.
func (b *Binder) onPages(n *pg.A_Expr, l *scope.Level) (out scope.Expr, ok bool) {
	c := n.Lexpr.GetColumnRef()
	if c == nil || n.Kind != pg.A_Expr_Kind_AEXPR_BETWEEN || c.Fields[len(c.Fields)-1].GetString_().GetSval() != "ctid" {
		return scope.Expr{}, false
	}
	var r *scope.RangeEntry
	switch {
	case len(c.Fields) > 1:
		r, _ = b.Qualifier(syntax.Strings(c.Fields[:len(c.Fields)-1]), l, c.Location)
	case len(l.Namespace.Ranges) == 1:
		r = l.Namespace.Ranges[0]
	}
	if r == nil || r.Shape == nil || r.Shape.OID != 0 || r.Column("ctid") != nil {
		return scope.Expr{}, false
	}
	items := n.Rexpr.GetList().GetItems()
	lo, loOK := tidConstant(items[0])
	hi, hiOK := tidConstant(items[1])
	if !loOK || !hiOK {
		return scope.Expr{}, false
	}
	within := lo[0] == 0 && lo[1] <= 1 && (hi[0] > 0 || hi[1] >= 1)
	return scope.Expr{Type: types.Of(types.Bool), SQL: strings.ToUpper(strconv.FormatBool(within))}, true
}

// tidConstant is the page and the line of '(page,line)'::tid.
func tidConstant(n *pg.Node) (tid [2]uint64, ok bool) {
	cast := n.GetTypeCast()
	if names := cast.GetTypeName().GetNames(); len(names) == 0 || names[len(names)-1].GetString_().GetSval() != "tid" {
		return tid, false
	}
	text := strings.TrimSpace(cast.GetArg().GetAConst().GetSval().GetSval())
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
		return tid, false
	}
	page, line, _ := strings.Cut(text[1:len(text)-1], ",")
	var err error
	if tid[0], err = strconv.ParseUint(page, 10, 32); err != nil {
		return tid, false
	}
	tid[1], err = strconv.ParseUint(line, 10, 16)
	return tid, err == nil
}
