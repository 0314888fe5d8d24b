package expression

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/jsontext"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// mostArguments is FUNC_MAX_ARGS of PostgreSQL's pg_config_manual.h.
const mostArguments = 100

// functionCall resolves a function call.
func (b *Binder) functionCall(n *pg.FuncCall, l *scope.Level) scope.Expr {
	n = b.Params.WithoutVoid(n)
	name, own := b.functionName(n, l)
	if name == "make_interval" && slices.ContainsFunc(n.Args, isNamedArg) {
		return b.makeInterval(n, l)
	}
	given := n
	n = b.positionalArgs(name, n, l)
	b.checkArgumentLimit(name, n, l)
	if strings.HasPrefix(name, "jsonb_path_") && len(n.Args) > 1 {
		b.markPath(n.Args[1])
	}
	if own {
		return b.ontosqlCall("ontosql."+name, n, l)
	}
	if at := aggregateLevel(name, n, l); at != l {
		return b.outerAggregate(n, at)
	}
	if e, ok := b.specialCall(name, n, l); ok {
		return e
	}
	if sequenceArguments[name] != nil {
		return b.sequenceCall(name, n, l)
	}
	inCatalog := len(functions.Catalog[name]) > 0 && b.Env.Macro(name)
	if _, ok := functions.SessionResults[name]; ok && !inCatalog {
		return b.sessionCall(name, n, l)
	}
	candidates := functions.ByName[name]
	if inCatalog {
		candidates = append(slices.Clip(candidates), functions.Catalog[name]...)
	}
	mark := len(b.ColumnUses)
	args := b.callArgs(n, len(candidates) > 0 && candidates[0].Aggregate || n.AggStar, l)
	b.refuseAmbiguousCall(name, args, n)
	if n.AggWithinGroup && len(candidates) > 0 && candidates[0].Aggregate { // which looks for one of these arguments, too
		for _, by := range n.AggOrder {
			args = append(args, b.Expr(by.GetSortBy().Node, l))
		}
		if _, _, ok := b.ResolveOverload(candidates, args); ok || n.AggStar {
			b.Fail(pgerr.New(pgerr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name), n.Location)
		}
		b.UndefinedFunction(name, args, n.Location)
	}
	if n.AggStar && name != "count" {
		b.UndefinedFunction(name, nil, n.Location)
	}
	if n.AggStar {
		return b.aggregate(n, functions.Signature{Name: name, Aggregate: true, Result: types.Int8, Template: "count(*)"}, nil, l, mark)
	}
	if slices.ContainsFunc(args, coercion.IsMultiDim) {
		if e, ok := b.multiDimCall(name, args, n.Location); ok {
			return e
		}
	}
	if name == "array_fill" {
		if e, ok := b.arrayFill(n, args); ok {
			return e
		}
	}
	b.normalizeNames(name, args)
	b.refuseAmbiguousIntegers(name, candidates, args, n)
	s, out, ok := b.ResolveOverload(candidates, args)
	if slices.ContainsFunc(out, coercion.IsMultiDim) && !slices.ContainsFunc(args, coercion.IsMultiDim) { // a literal has become one
		if e, ok := b.multiDimCall(name, out, n.Location); ok {
			return e
		}
	}
	if !ok {
		if cast, ok := b.castCall(name, args); ok {
			return cast
		}
		if name == "count" && len(args) == 0 {
			b.Fail(pgerr.New(pgerr.WrongObjectType, "count(*) must be used to call a parameterless aggregate function"), n.Location)
		}
		if slices.ContainsFunc(given.Args, isNamedArg) {
			b.noNamedFunction(given, l)
		}
		b.UndefinedFunction(strings.Join(syntax.Strings(n.Funcname), "."), args, n.Location)
	}
	s = b.written(s, args, out, n)
	if s.Aggregate || s.Window {
		kind := "aggregate"
		if n.Over != nil {
			kind = "window"
		}
		b.refuseSetReturning(args, "%s function calls cannot contain set-returning function calls", kind)
		b.printWindowValues(s.Name, args, out)
		return b.aggregate(n, s, out, l, mark)
	}
	b.checkNoAggregate(name, n)
	return b.plainCall(s, args, out, n, l)
}

// schemas are those of a database (catalog.Schemas): no other has a function.
var schemas = []string{"public", "history", "changes", "diff", "blame", "as_of", "ontosql", "pg_catalog", "information_schema"}

// functionName is the name of a called function, and whether it is one of ontosql's own.
func (b *Binder) functionName(n *pg.FuncCall, l *scope.Level) (name string, own bool) {
	names := syntax.Strings(n.Funcname)
	name = names[len(names)-1]
	if len(names) == 1 {
		return name, false
	}
	switch schema := names[len(names)-2]; {
	case schema == "ontosql" && functions.Own["ontosql."+name] != nil:
		return name, true
	case schema == "ontosql" && syntax.Actions[name].Parameters != nil:
		b.Fail(pgerr.Unsupported("ontosql.%s writes, and is called once in a statement", name).
			WithHint("For example SELECT * FROM %s.", syntax.Actions[name].Example), n.Location)
	case schema == "pg_catalog", schema == "information_schema" && strings.HasPrefix(name, "_pg_"):
	case !slices.Contains(schemas, schema):
		b.Args(n.Args, l) // whose errors come first
		b.Fail(pgerr.New(pgerr.InvalidSchemaName, "schema %q does not exist", schema), n.Location)
	default:
		b.Fail(pgerr.New(pgerr.UndefinedFunction, "function %s(%s) does not exist", strings.Join(names, "."), coercion.ArgTypes(b.Args(n.Args, l))).
			WithHint(functions.NoFunctionHint), n.Location)
	}
	return name, false
}

// normalizeNames makes what a constant names the name that the engine knows.
func (b *Binder) normalizeNames(name string, args []scope.Expr) {
	if name == "date_trunc" && len(args) == 3 {
		replaceZoneAbbreviation(&args[2])
	}
	if (name == "extract" || name == "date_part" || name == "date_trunc") && len(args) > 0 && args[0].Literal != nil {
		field := timeFieldNamed(*args[0].Literal)
		args[0].Literal, args[0].SQL = &field, enginesql.Literal(field)
	}
}

// replaceZoneAbbreviation replaces a zone's abbreviation by its offset or by the zone's name. An
// abbreviation comes before a zone's name, so that CET has no daylight-saving time.
func replaceZoneAbbreviation(zone *scope.Expr) {
	if zone.Literal == nil {
		return
	}
	if a, ok := datetime.ZoneAbbreviation(*zone.Literal); ok {
		posix := a.POSIX()
		zone.Literal, zone.SQL = &posix, enginesql.Literal(posix)
	}
}

// written is the signature of a call with what its template depends on: out are its
// arguments as values of the signature's types.
func (b *Binder) written(s functions.Signature, args, out []scope.Expr, n *pg.FuncCall) functions.Signature {
	if strings.HasSuffix(s.Name, "_build_object") && len(args)%2 == 1 {
		b.Fail(pgerr.New(pgerr.InvalidParameterValue, "argument list must have even number of elements").
			WithHint("The arguments of %s() must consist of alternating keys and values.", s.Name), -1)
	}
	b.checkKeys(s.Name, out)
	switch {
	case (s.Name == "round" || s.Name == "trunc") && len(out) == 2 && s.Result == types.Numeric:
		s.Template = coercion.RoundTemplate(s.Template, s.Name, out[1])
	case s.Name == "timezone" && s.Result == types.TimeTZ: // the offset of a zone is that of today
		s.Template = strings.ReplaceAll(s.Template, "{now}", enginesql.SessionPlaceholder("now", nil, types.TimestampTZ))
	case s.Name == "pg_listening_channels":
		s.Template = enginesql.SessionPlaceholder(s.Name, nil, types.ArrayOf(types.Of(types.Text)).OID)
	case s.Name == "regexp_like":
		s.Template = searchTemplate(s.Template, args)
	case s.Name == "array_agg" && out[0].Type.IsArray():
		s.Wrap = accumulated("{agg}", out[0].Type)
	case (s.Name == "min" || s.Name == "max") && len(out) == 1 && coercion.IsMultiDim(out[0]):
		s.Template = "arg_" + s.Name + "({1}, " + b.multiDimSortKey(scope.Expr{SQL: "{1}", Type: out[0].Type}) + ")"
	case s.Name == "array_dims" && coercion.IsMultiDim(out[0]):
		s.Template = "CASE WHEN len({1}) > 0 THEN list_aggregate(list_transform(" + shape("{1}", out[0].Type.ExtraDims) + ", lambda one: '[1:' || one || ']'), 'string_agg', '') END"
	}
	if len(out) > 0 && strings.Contains(s.Template, "{length}") {
		s.Template = strings.ReplaceAll(s.Template, "{length}", lengthIn(out[0].Type))
	}
	if len(out) > 0 {
		s.Template = strings.ReplaceAll(s.Template, "{dimensions}", strconv.Itoa(out[0].Type.ExtraDims+1))
	}
	return s
}

// plainCall prints a call of a function of one row.
func (b *Binder) plainCall(s functions.Signature, args, out []scope.Expr, n *pg.FuncCall, l *scope.Level) scope.Expr {
	if s.ReturnsSet && l.Clause != "" && !l.AllowsSets && l.Clause != "functions in FROM" {
		b.Fail(pgerr.New(pgerr.FeatureNotSupported, "set-returning functions are not allowed in %s", l.Clause), n.Location)
	}
	if s.Name == "generate_series" && l.Clause == "" {
		out = limitedSeries(out, l.Limit)
	}
	e := scope.Expr{SQL: CallText(&s, out), Type: coercion.ResultType(&s, out), HasAggs: coercion.AnyHasAggs(args), ReturnsSet: s.ReturnsSet || coercion.AnyReturnsSet(args), Location: n.Location}
	e.List = listOf(e.SQL, out)
	e.Printed = cmp.Or(coercion.PrintedByFunction(e.SQL, e.Type), b.printedArray(s.Name, &s, args, out, e.Type), b.printedResult(s.Name, out, e))
	if s.Name == "extract" && args[0].Literal != nil {
		e.Printed = extracted(*args[0].Literal, out[1], e)
	}
	if s.Row != nil {
		e.Type.Row = s.Row
	}
	if f, ok := functions.Privileges[s.Name]; ok {
		e = b.privilegeCall(f, args, e)
	}
	if !s.ReturnsSet || s.Template == "" {
		return e
	}
	e.List = e.SQL
	if coercion.AnyReturnsSet(out) {
		e.List = b.nestedSetList(s, out, n.Location, l)
	}
	e.SQL = "unnest(" + e.List + ")"
	if s.Wrap != "" {
		e.SQL = strings.ReplaceAll(s.Wrap, "{set}", e.SQL)
	}
	switch {
	case coercion.AnyReturnsSet(out):
	case s.Name == "unnest":
		e.PrintedList = out[0].Printed
	case s.Name == "generate_series":
		e.PrintedList = b.printedSeries(out, e)
	}
	if e.PrintedList != "" {
		e.Printed = "unnest(" + e.PrintedList + ")"
	}
	if s.Name == "generate_series" && allIntegers(out) {
		e.SeriesArgs = out
	}
	return e
}

// NestedListFunction begins the list of a set-returning function within another one.
const NestedListFunction = "flatten(list_transform("

// nestedSetList is the list of a set-returning function of which an argument returns a set,
// too: all that it returns for each row of that.
func (b *Binder) nestedSetList(s functions.Signature, args []scope.Expr, loc int32, l *scope.Level) string {
	list := listOf(CallText(&s, args), args)
	if l.Clause == "functions in FROM" && !l.AllowsSets {
		at := slices.IndexFunc(args, func(a scope.Expr) bool { return a.ReturnsSet })
		b.Fail(pgerr.New(pgerr.FeatureNotSupported, "set-returning functions must appear at top level of FROM"), args[at].Location)
	}
	if list == "" {
		b.Unsupported(loc, "this set-returning function within another one is not supported")
	}
	args = slices.Clone(args)
	for i := range args {
		args[i].SQL = strings.ReplaceAll(args[i].SQL, "unnest("+list+")", "given_row")
		args[i].Printed = strings.ReplaceAll(args[i].Printed, "unnest("+list+")", "given_row")
	}
	return NestedListFunction + list + ", lambda given_row: " + CallText(&s, args) + "))"
}

// listOf is the list whose elements an expression of args returns: that of the one set among
// them, or of its printed texts. It is "" where there are several sets.
func listOf(sql string, args []scope.Expr) string {
	list := ""
	for _, a := range args {
		if !a.ReturnsSet {
			continue
		}
		for _, l := range []string{a.List, a.PrintedList} {
			switch {
			case l == "" || l == list || !strings.Contains(sql, "unnest("+l+")"):
			case list != "":
				return ""
			default:
				list = l
			}
		}
		if list == "" {
			return ""
		}
	}
	return list
}

// checkKeys refuses what is no scalar as a key of an object.
func (b *Binder) checkKeys(function string, args []scope.Expr) {
	for i, a := range args {
		key := strings.HasSuffix(function, "_build_object") && i%2 == 0 || strings.HasSuffix(function, "_object_agg") && i == 0
		if key && functions.MakesJSON[function] && (a.Type.IsArray() || types.IsJSON(a.Type.OID) || a.Row != nil) {
			b.Fail(pgerr.New(pgerr.InvalidParameterValue, "key value must be scalar, not array, composite, or json"), -1)
		}
	}
}

func allIntegers(es []scope.Expr) bool {
	for _, e := range es {
		if e.Integer == nil {
			return false
		}
	}
	return true
}

// CallText prints a call of the signature. Arguments of type "any" are written as
// PostgreSQL prints them where the template asks for text.
func CallText(s *functions.Signature, args []scope.Expr) string {
	parts := coercion.SQLTexts(args)
	if strings.HasPrefix(s.Name, "concat") {
		for i := range args {
			parts[i] = args[i].Output()
		}
	}
	if functions.MakesJSON[s.Name] && !s.RawJSONArgs {
		for i, a := range args {
			parts[i] = jsontext.Argument(s.Name, i, a)
		}
		if s.Template == "{built}" {
			return jsontext.Built(s.Name, parts)
		}
	}
	template := s.Template
	if template == "" {
		template = s.Name + "({*})"
		if _, ok := functions.Catalog[s.Name]; ok {
			template = enginesql.MacroSchema + "." + template
		}
	}
	for i, a := range args {
		place := "{" + strconv.Itoa(i+1) + "}"
		if listed := "@texts_of(" + place + ")"; strings.Contains(template, listed) {
			template = strings.ReplaceAll(template, listed, place)
			if elem, _ := a.Type.Elem(); a.Printed != "" {
				parts[i] = a.Printed
			} else if !types.IsText(elem.OID) {
				parts[i] = "list_transform(" + a.SQL + ", lambda part: " + casts.ToOutput("part", elem) + ")"
			}
		}
		if operand := "@shown_out(" + place + ")"; strings.Contains(template, operand) {
			template = strings.ReplaceAll(template, operand, place)
			parts[i] = a.NumericArgs()
		}
		if printed := "@any_out(" + place + ")"; strings.Contains(template, printed) {
			template = strings.ReplaceAll(template, printed, place)
			parts[i] = a.Text()
		}
	}
	return functions.FillTemplate(template, parts)
}

// castCall is a function-style cast: text(x), int8(x), date(x).
func (b *Binder) castCall(name string, args []scope.Expr) (scope.Expr, bool) {
	i := types.ByName[name]
	if i == nil || i.EngineType == "" || len(args) != 1 {
		return scope.Expr{}, false
	}
	if args[0].Type.OID != types.Unknown && !types.Castable(args[0].Type, types.Of(i.OID)) {
		return scope.Expr{}, false
	}
	return b.Coerce(args[0], types.Of(i.OID), types.ExplicitCast), true
}

// UndefinedFunction is 42883, or 42501 for what the sandbox keeps from a client
// (decision A23).
func (b *Binder) UndefinedFunction(name string, args []scope.Expr, loc int32) {
	written := name
	name = name[strings.LastIndexByte(name, '.')+1:]
	if functions.EngineOnly[name] || strings.HasPrefix(name, "duckdb_") || strings.HasPrefix(name, "pragma_") {
		b.Fail(pgerr.New(pgerr.InsufficientPrivilege, "permission denied for function %s", name).
			WithHint("Functions of the engine that reach files, the network or its configuration cannot be called."), loc)
	}
	if slices.Contains(functions.Refused, name) {
		b.Unsupported(loc, "function %s is not supported", name)
	}
	b.Fail(pgerr.New(pgerr.UndefinedFunction, "function %s(%s) does not exist", written, coercion.ArgTypes(args)).WithHint(functions.NoFunctionHint), loc)
}
