package query

import (
	"errors"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// recordRows prints the query of a function that has a column definition list.
func (b *Binder) recordRows(n *pg.RangeFunction, name string, l *scope.Level) ([]scope.OutputColumn, string) {
	call := n.Functions[0].GetList().GetItems()[0].GetFuncCall()
	switch {
	case call != nil && len(functions.ByName[name]) == 0 && len(functions.Catalog[name]) == 0 && functions.SessionResults[name] == 0 && !functions.ReturnsRecord[name]:
		b.UndefinedFunction(name, b.Args(call.Args, l), call.Location)
	case call == nil || !functions.ReturnsRecord[name]:
		b.Fail(pgerr.New(pgerr.SyntaxError, "a column definition list is only allowed for functions returning \"record\""),
			syntax.Location(n.Coldeflist[0]))
	case len(n.Coldeflist) == 0:
		b.Fail(pgerr.New(pgerr.SyntaxError, "a column definition list is required for functions returning \"record\""), call.Location)
	case n.Ordinality:
		b.Fail(pgerr.New(pgerr.SyntaxError, "WITH ORDINALITY cannot be used with a column definition list"), call.Location)
	}
	ty := types.Of(types.JSON)
	if strings.HasPrefix(name, "jsonb") {
		ty = types.Of(types.JSONB)
	}
	args := b.Args(call.Args, l)
	if len(args) != 1 || args[0].Type.OID != types.Unknown && args[0].Type.OID != ty.OID {
		b.UndefinedFunction(name, args, call.Location)
	}
	x := b.Coerce(args[0], ty, types.ImplicitCast).SQL
	var rows string
	if strings.HasSuffix(name, "set") {
		list := "CAST(" + x + " AS JSON[])"
		if ty.OID == types.JSON { // as it is spelled
			list = "CAST(ontosql_json_elements(CAST(" + x + " AS VARCHAR)) AS JSON[])"
		}
		rows = "SELECT unnest(" + enginesql.Macro("json_records") + "(" + x + ", " + list + ", " + enginesql.Literal(name) + ")) AS j"
	} else {
		rows = "SELECT " + enginesql.Macro("json_record") + "(" + x + ") AS j"
	}
	var cols []scope.OutputColumn
	var parts []string
	for i, d := range n.Coldeflist {
		def := d.GetColumnDef()
		to, err := syntax.TypeOf(b.Stmt.Tree, def.TypeName)
		var e *pgerr.Error
		if errors.As(err, &e) {
			b.Fail(e, def.TypeName.Location)
		}
		out := "v" + strconv.Itoa(i+1)
		cols = append(cols, scope.OutputColumn{Name: def.Colname, EngineName: out, Type: to, Ref: -1})
		parts = append(parts, b.memberAs(ty, def.Colname, to)+" AS "+enginesql.Quote(out))
	}
	return cols, "SELECT " + strings.Join(parts, ", ") + " FROM (" + rows + ")"
}

// memberAs is a member of the document j, a json or jsonb, as a value of a type.
func (b *Binder) memberAs(document types.Type, name string, to types.Type) string {
	member := func(op string) scope.Expr {
		return b.Operate(op, []scope.Expr{{SQL: "j", Type: document}, {SQL: enginesql.Literal(name), Type: types.Of(types.Text)}}, -1)
	}
	text := b.Coerce(member("->>"), to, types.ExplicitCast).SQL
	elem, isArray := to.Elem()
	switch value := member("->").SQL; {
	case types.IsJSON(to.OID):
		return "CASE json_type(" + value + ") WHEN 'NULL' THEN NULL ELSE " + casts.Convert(value, document, to) + " END"
	case isArray:
		list := scope.Expr{SQL: "ontosql_json_elements(CAST(" + value + " AS VARCHAR))", Type: types.ArrayOf(types.Of(types.Text))}
		nested := "len(list_filter(" + list.SQL + ", lambda item: starts_with(item, '['))) > 0"
		switch {
		case types.IsJSON(elem.OID):
			list.Type = types.ArrayOf(document)
			list.SQL, nested = "list_transform("+list.SQL+", lambda item: CASE WHEN item <> 'null' THEN CAST(item AS JSON) END)", "FALSE"
		case document.OID == types.JSONB:
			list.SQL = enginesql.Macro("jsonb_texts") + "(CAST(" + list.SQL + " AS JSON[]))"
		default:
			list.SQL = "list_transform(" + list.SQL + ", lambda item: " + enginesql.Macro("json_text_of") + "(item))"
		}
		return "CASE json_type(" + value + ") WHEN 'ARRAY' THEN CASE WHEN " + nested + " THEN error('[0A000] " + input.UnknownDimensions + "') ELSE " +
			b.Coerce(list, to, types.ExplicitCast).SQL + " END WHEN 'VARCHAR' THEN " + text +
			" WHEN 'NULL' THEN NULL ELSE CASE WHEN " + value + " IS NOT NULL THEN error('[22P02] expected JSON array' || chr(31) || chr(31) || chr(31) || " +
			enginesql.Literal("See the value of key \""+name+"\".") + ") END END"
	}
	return text
}
