package rewrite

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
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// recordRows prints the query of a function that has a column definition list.
func (b *queryBinder) recordRows(n *pg.RangeFunction, name string, l *level) ([]outcol, string) {
	call := n.Functions[0].GetList().GetItems()[0].GetFuncCall()
	switch {
	case call != nil && len(functions.ByName[name]) == 0 && len(functions.Catalog[name]) == 0 && !functions.ReturnsRecord[name]:
		b.noFunction(name, b.args(call.Args, l), call.Location)
	case call == nil || !functions.ReturnsRecord[name]:
		b.fail(pgerr.New(pgerr.SyntaxError, "a column definition list is only allowed for functions returning \"record\""),
			syntax.Location(n.Coldeflist[0]))
	case len(n.Coldeflist) == 0:
		b.fail(pgerr.New(pgerr.SyntaxError, "a column definition list is required for functions returning \"record\""), call.Location)
	case n.Ordinality:
		b.fail(pgerr.New(pgerr.SyntaxError, "WITH ORDINALITY cannot be used with a column definition list"), call.Location)
	}
	ty := types.Of(types.JSON)
	if strings.HasPrefix(name, "jsonb") {
		ty = types.Of(types.JSONB)
	}
	args := b.args(call.Args, l)
	if len(args) != 1 || args[0].t.OID != types.Unknown && args[0].t.OID != ty.OID {
		b.noFunction(name, args, call.Location)
	}
	x := b.coerce(args[0], ty, types.ImplicitCast).sql
	var rows string
	if strings.HasSuffix(name, "set") {
		list := "CAST(" + x + " AS JSON[])"
		if ty.OID == types.JSON { // as it is spelled
			list = "CAST(ontosql_json_elements(CAST(" + x + " AS VARCHAR)) AS JSON[])"
		}
		rows = "SELECT unnest(" + enginesql.Macro("json_records") + "(" + x + ", " + list + ", " + enginesql.Literal(name) + ")) AS j"
	} else {
		rows = "SELECT " + enginesql.Macro("json_record") + "(" + x + ", " + enginesql.Literal(name) + ") AS j"
	}
	var cols []outcol
	var parts []string
	for i, d := range n.Coldeflist {
		def := d.GetColumnDef()
		to, err := syntax.TypeOf(b.st.Tree, def.TypeName)
		var e *pgerr.Error
		if errors.As(err, &e) {
			b.fail(e, def.TypeName.Location)
		}
		out := "v" + strconv.Itoa(i+1)
		cols = append(cols, outcol{name: def.Colname, out: out, t: to, ref: -1})
		parts = append(parts, b.memberAs(ty, def.Colname, to)+" AS "+enginesql.Quote(out))
	}
	return cols, "SELECT " + strings.Join(parts, ", ") + " FROM (" + rows + ")"
}

// memberAs is a member of the document j, a json or jsonb, as a value of a type.
func (b *queryBinder) memberAs(document types.Type, name string, to types.Type) string {
	member := func(op string) expr {
		return b.operate(op, []expr{{sql: "j", t: document}, {sql: enginesql.Literal(name), t: types.Of(types.Text)}}, -1)
	}
	text := b.coerce(member("->>"), to, types.ExplicitCast).sql
	elem, isArray := to.Elem()
	switch value := member("->").sql; {
	case types.IsJSON(to.OID):
		return "CASE json_type(" + value + ") WHEN 'NULL' THEN NULL ELSE " + casts.Convert(value, document, to) + " END"
	case isArray:
		list := expr{sql: "ontosql_json_elements(CAST(" + value + " AS VARCHAR))", t: types.ArrayOf(types.Of(types.Text))}
		nested := "len(list_filter(" + list.sql + ", lambda item: starts_with(item, '['))) > 0"
		switch {
		case types.IsJSON(elem.OID):
			list.t = types.ArrayOf(document)
			list.sql, nested = "list_transform("+list.sql+", lambda item: CASE WHEN item <> 'null' THEN CAST(item AS JSON) END)", "FALSE"
		case document.OID == types.JSONB:
			list.sql = enginesql.Macro("jsonb_texts") + "(CAST(" + list.sql + " AS JSON[]))"
		default:
			list.sql = "list_transform(" + list.sql + ", lambda item: " + enginesql.Macro("json_text_of") + "(item))"
		}
		return "CASE json_type(" + value + ") WHEN 'ARRAY' THEN CASE WHEN " + nested + " THEN error('[0A000] " + input.UnknownDimensions + "') ELSE " +
			b.coerce(list, to, types.ExplicitCast).sql + " END WHEN 'VARCHAR' THEN " + text +
			" WHEN 'NULL' THEN NULL ELSE CASE WHEN " + value + " IS NOT NULL THEN error('[22P02] expected JSON array') END END"
	}
	return text
}
