package expression

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

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
