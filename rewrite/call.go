package rewrite

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// mostArguments is FUNC_MAX_ARGS of PostgreSQL's pg_config_manual.h.
const mostArguments = 100

// call resolves a function call.
func (b *exprBinder) call(n *pg.FuncCall, l *level) expr {
	n = b.params.withoutVoid(n)
	name, own := b.called(n, l)
	if name == "make_interval" && slices.ContainsFunc(n.Args, hasName) {
		return b.makeInterval(n, l)
	}
	n = b.positional(name, n, l)
	b.checkList(name, n, l)
	if strings.HasPrefix(name, "jsonb_path_") && len(n.Args) > 1 {
		b.markPath(n.Args[1])
	}
	if own {
		return b.ownCall("ontosql."+name, n, l)
	}
	if e, ok := b.special(name, n, l); ok {
		return e
	}
	inCatalog := len(functions.Catalog[name]) > 0 && b.env.Macro(name)
	if _, ok := functions.SessionResults[name]; ok && !inCatalog {
		return b.sessionCall(name, n, l)
	}
	candidates := functions.ByName[name]
	if inCatalog {
		candidates = append(slices.Clip(candidates), functions.Catalog[name]...)
	}
	mark := len(b.uses)
	args := b.callArgs(n, len(candidates) > 0 && candidates[0].Aggregate || n.AggStar, l)
	b.decided(name, args, n)
	if n.AggWithinGroup && len(candidates) > 0 && candidates[0].Aggregate { // which looks for one of these arguments, too
		for _, by := range n.AggOrder {
			args = append(args, b.expr(by.GetSortBy().Node, l))
		}
		if _, _, ok := b.resolve(candidates, args); ok || n.AggStar {
			b.fail(pgerr.New(pgerr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name), n.Location)
		}
		b.noFunction(name, args, n.Location)
	}
	if n.AggStar && name != "count" {
		b.noFunction(name, nil, n.Location)
	}
	if n.AggStar {
		return b.aggregate(n, functions.Signature{Name: name, Aggregate: true, Result: types.Int8, Template: "count(*)"}, nil, l, mark)
	}
	if slices.ContainsFunc(args, several) {
		if e, ok := b.dimensional(name, args, n.Location); ok {
			return e
		}
	}
	if name == "array_fill" {
		if e, ok := b.filled(n, args); ok {
			return e
		}
	}
	b.spelled(name, args)
	b.decidedIntegers(name, candidates, args, n)
	s, out, ok := b.resolve(candidates, args)
	if slices.ContainsFunc(out, several) && !slices.ContainsFunc(args, several) { // a literal has become one
		if e, ok := b.dimensional(name, out, n.Location); ok {
			return e
		}
	}
	if !ok {
		if cast, ok := b.castCall(name, args); ok {
			return cast
		}
		if name == "count" && len(args) == 0 {
			b.fail(pgerr.New(pgerr.WrongObjectType, "count(*) must be used to call a parameterless aggregate function"), n.Location)
		}
		b.noFunction(strings.Join(syntax.Strings(n.Funcname), "."), args, n.Location)
	}
	s = b.written(s, args, out, n)
	if s.Aggregate || s.Window {
		kind := "aggregate"
		if n.Over != nil {
			kind = "window"
		}
		b.refuseSet(args, "%s function calls cannot contain set-returning function calls", kind)
		return b.aggregate(n, s, out, l, mark)
	}
	b.checkNoAggregate(name, n)
	return b.plainCall(s, args, out, n, l)
}

// called is the name of a called function, and whether it is one of ontosql's own.
func (b *exprBinder) called(n *pg.FuncCall, l *level) (name string, own bool) {
	names := syntax.Strings(n.Funcname)
	name = names[len(names)-1]
	if len(names) == 1 {
		return name, false
	}
	switch schema := names[len(names)-2]; {
	case schema == "ontosql" && functions.Own["ontosql."+name] != nil:
		return name, true
	case schema == "pg_catalog", schema == "information_schema" && strings.HasPrefix(name, "_pg_"):
	default:
		b.fail(pgerr.New(pgerr.UndefinedFunction, "function %s(%s) does not exist", strings.Join(names, "."), argTypes(b.args(n.Args, l))).
			WithHint(functions.NoFunctionHint), n.Location)
	}
	return name, false
}

func hasName(arg *pg.Node) bool { return arg.GetNamedArgExpr() != nil }

// checkList refuses lists of arguments that no function takes.
func (b *exprBinder) checkList(name string, n *pg.FuncCall, l *level) {
	if n.FuncVariadic && !functions.TakesArray[name] {
		b.unsupported(n.Location, "VARIADIC is not supported")
	}
	if len(n.Args) > mostArguments {
		b.args(n.Args, l) // whose errors come first
		b.fail(pgerr.New(pgerr.TooManyArguments, "cannot pass more than %d arguments to a function", mostArguments), n.Location)
	}
}

// callArgs are the arguments of a call, of an aggregate's or of another function's.
func (b *exprBinder) callArgs(n *pg.FuncCall, isAgg bool, l *level) []expr {
	if isAgg && n.Over == nil {
		b.enterAggregate(n, l)
		inner := *l
		inner.inAgg, inner.group = true, nil
		return b.args(n.Args, &inner)
	}
	within := l.within
	if n.Over != nil {
		l.within = "window function calls cannot be nested"
	}
	args := b.args(n.Args, l)
	l.within = within
	return args
}

// spelled makes what a constant names the name that the engine knows.
func (b *exprBinder) spelled(name string, args []expr) {
	switch {
	case name == "timezone" && len(args) == 2:
		abbreviated(&args[0])
	case name == "date_trunc" && len(args) == 3:
		abbreviated(&args[2])
	}
	if (name == "extract" || name == "date_part" || name == "date_trunc") && len(args) > 0 && args[0].lit != nil {
		field := timeFieldNamed(*args[0].lit)
		args[0].lit, args[0].sql = &field, enginesql.Literal(field)
	}
}

// abbreviated replaces a zone's abbreviation by its offset or by the zone's name. An
// abbreviation comes before a zone's name, so that CET has no daylight-saving time.
func abbreviated(zone *expr) {
	if zone.lit == nil {
		return
	}
	if a, ok := datetime.ZoneAbbreviation(*zone.lit); ok {
		posix := a.POSIX()
		zone.lit, zone.sql = &posix, enginesql.Literal(posix)
	}
}

// written is the signature of a call with what its template depends on: out are its
// arguments as values of the signature's types.
func (b *exprBinder) written(s functions.Signature, args, out []expr, n *pg.FuncCall) functions.Signature {
	if strings.HasSuffix(s.Name, "_build_object") && len(args)%2 == 1 {
		b.fail(pgerr.New(pgerr.InvalidParameterValue, "argument list must have even number of elements").
			WithHint("The arguments of %s() must consist of alternating keys and values.", s.Name), -1)
	}
	b.checkKeys(s.Name, out)
	switch {
	case (s.Name == "round" || s.Name == "trunc") && len(out) == 2:
		s.Template = writtenDigits(s.Template, s.Name, out[1])
	case s.Name == "timezone" && s.Result == types.TimeTZ: // the offset of a zone is that of today
		s.Template = strings.ReplaceAll(s.Template, "{now}", enginesql.SessionPlaceholder("now", nil, types.TimestampTZ))
	case s.Name == "regexp_like":
		s.Template = searchTemplate(s.Template, args)
	case s.Name == "array_agg" && out[0].t.IsArray():
		s.Wrap = accumulated("{agg}", out[0].t)
	case (s.Name == "min" || s.Name == "max") && len(out) == 1 && several(out[0]):
		s.Template = "arg_" + s.Name + "({1}, " + b.order(expr{sql: "{1}", t: out[0].t}) + ")"
	case s.Name == "array_dims" && several(out[0]):
		s.Template = "CASE WHEN len({1}) > 0 THEN list_aggregate(list_transform(" + shape("{1}", out[0].t.ExtraDims) + ", lambda one: '[1:' || one || ']'), 'string_agg', '') END"
	}
	if len(out) > 0 && strings.Contains(s.Template, "{length}") {
		s.Template = strings.ReplaceAll(s.Template, "{length}", lengthIn(out[0].t))
	}
	if len(out) > 0 {
		s.Template = strings.ReplaceAll(s.Template, "{dimensions}", strconv.Itoa(out[0].t.ExtraDims+1))
	}
	return s
}

// checkNoAggregate refuses what stands around calls of aggregates and window functions
// only.
func (b *exprBinder) checkNoAggregate(name string, n *pg.FuncCall) {
	refuse := func(is bool, format string) {
		if is {
			b.fail(pgerr.New(pgerr.WrongObjectType, format, name), n.Location)
		}
	}
	refuse(n.Over != nil, "OVER specified, but %s is not a window function nor an aggregate function")
	refuse(n.AggDistinct, "DISTINCT specified, but %s is not an aggregate function")
	refuse(len(n.AggOrder) > 0, "ORDER BY specified, but %s is not an aggregate function")
	refuse(n.AggFilter != nil, "FILTER specified, but %s is not an aggregate function")
}

// plainCall prints a call of a function of one row.
func (b *exprBinder) plainCall(s functions.Signature, args, out []expr, n *pg.FuncCall, l *level) expr {
	if s.ReturnsSet && l.clause != "" && !l.sets && l.clause != "functions in FROM" {
		b.fail(pgerr.New(pgerr.FeatureNotSupported, "set-returning functions are not allowed in %s", l.clause), n.Location)
	}
	if s.Name == "generate_series" && l.clause == "" {
		out = limitedSeries(out, l.limit)
	}
	e := expr{sql: callText(&s, out), t: resultType(&s, out), agg: anyAgg(args), set: s.ReturnsSet || anySet(args), list: listOf(out), loc: n.Location}
	e.printed = printed(e.sql, e.t)
	if s.Name == "extract" && args[0].lit != nil {
		e.printed = extracted(*args[0].lit, out[1], e)
	}
	if s.Row != nil {
		e.t.Row = s.Row
	}
	if f, ok := functions.Privileges[s.Name]; ok {
		e = b.privilegeCall(f, args, e)
	}
	if !s.ReturnsSet || s.Template == "" {
		return e
	}
	e.list = e.sql
	if anySet(out) {
		e.list = b.nestedSet(s, out, n.Location, l)
	}
	e.sql = "unnest(" + e.list + ")"
	if s.Wrap != "" {
		e.sql = strings.ReplaceAll(s.Wrap, "{set}", e.sql)
	}
	if s.Name == "generate_series" && allIntegers(out) {
		e.count = out
	}
	return e
}

// nestedList begins the list of a set-returning function within another one.
const nestedList = "flatten(list_transform("

// nestedSet is the list of a set-returning function of which an argument returns a set,
// too: all that it returns for each row of that.
func (b *exprBinder) nestedSet(s functions.Signature, args []expr, loc int32, l *level) string {
	list := listOf(args)
	if l.clause == "functions in FROM" && !l.sets {
		at := slices.IndexFunc(args, func(a expr) bool { return a.set })
		b.fail(pgerr.New(pgerr.FeatureNotSupported, "set-returning functions must appear at top level of FROM"), args[at].loc)
	}
	if list == "" {
		b.unsupported(loc, "this set-returning function within another one is not supported")
	}
	args = slices.Clone(args)
	for i := range args {
		args[i].sql = strings.Replace(args[i].sql, "unnest("+list+")", "given_row", 1)
	}
	return nestedList + list + ", lambda given_row: " + callText(&s, args) + "))"
}

// listOf is the list whose elements one of the arguments returns, "" where several
// return sets.
func listOf(args []expr) string {
	list := ""
	for _, a := range args {
		if a.set && (list != "" || strings.Count(a.sql, "unnest("+a.list+")") != 1) {
			return ""
		} else if a.set {
			list = a.list
		}
	}
	return list
}

// checkKeys refuses what is no scalar as a key of an object.
func (b *exprBinder) checkKeys(function string, args []expr) {
	for i, a := range args {
		key := strings.HasSuffix(function, "_build_object") && i%2 == 0 || strings.HasSuffix(function, "_object_agg") && i == 0
		if key && functions.MakesJSON[function] && (a.t.IsArray() || types.IsJSON(a.t.OID) || a.row != nil) {
			b.fail(pgerr.New(pgerr.InvalidParameterValue, "key value must be scalar, not array, composite, or json"), -1)
		}
	}
}

func allIntegers(es []expr) bool {
	for _, e := range es {
		if e.int == nil {
			return false
		}
	}
	return true
}

// callText prints a call of the signature. Arguments of type "any" are written as
// PostgreSQL prints them where the template asks for text.
func callText(s *functions.Signature, args []expr) string {
	parts := sqls(args)
	if strings.HasPrefix(s.Name, "concat") {
		for i := range args {
			parts[i] = args[i].output()
		}
	}
	if functions.MakesJSON[s.Name] && !s.RawJSONArgs {
		for i, a := range args {
			parts[i] = jsonArgument(s.Name, i, a)
		}
		if s.Template == "{built}" {
			return jsonBuilt(s.Name, parts)
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
			if elem, _ := a.t.Elem(); !types.IsText(elem.OID) {
				parts[i] = "list_transform(" + a.sql + ", lambda part: " + casts.ToOutput("part", elem) + ")"
			}
		}
		if operand := "@shown_out(" + place + ")"; strings.Contains(template, operand) {
			template = strings.ReplaceAll(template, operand, place)
			parts[i] = a.operand()
		}
		if printed := "@any_out(" + place + ")"; strings.Contains(template, printed) {
			template = strings.ReplaceAll(template, printed, place)
			parts[i] = a.out()
		}
	}
	return functions.FillTemplate(template, parts)
}

func (b *exprBinder) args(nodes []*pg.Node, l *level) []expr {
	out := make([]expr, 0, len(nodes))
	for _, a := range nodes {
		out = append(out, b.expr(a, l))
	}
	return out
}

// enterAggregate refuses an aggregate where PostgreSQL does.
func (b *exprBinder) enterAggregate(n *pg.FuncCall, l *level) {
	switch {
	case l.inAgg:
		b.fail(pgerr.New(pgerr.GroupingError, "aggregate function calls cannot be nested"), n.Location)
	case l.clause != "" && l.clause != "HAVING":
		b.fail(pgerr.New(pgerr.GroupingError, "aggregate functions are not allowed in %s", l.clause), n.Location)
	}
}

// aggregate prints a call of an aggregate or window function with all that may
// stand around it.
func (b *exprBinder) aggregate(n *pg.FuncCall, s functions.Signature, args []expr, l *level, mark int) expr {
	if s.Window && n.Over == nil {
		b.fail(pgerr.New(pgerr.WrongObjectType, "window function %s requires an OVER clause", s.Name), n.Location)
	}
	if n.Over != nil && l.clause != "" {
		b.fail(pgerr.New(syntax.WindowingError, "window functions are not allowed in %s", l.clause), n.Location)
	}
	if n.Over != nil && l.within != "" {
		b.fail(pgerr.New(syntax.WindowingError, "%s", l.within), n.Location)
	}
	if n.Over != nil && n.AggDistinct {
		b.fail(pgerr.New(pgerr.FeatureNotSupported, "DISTINCT is not implemented for window functions"), n.Location)
	}
	if n.Over != nil && len(n.AggOrder) > 0 {
		b.fail(pgerr.New(pgerr.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions"), n.Location)
	}
	if n.AggDistinct && len(n.AggOrder) > 0 {
		b.distinctOrder(n, args, l)
	}
	if n.AggDistinct {
		s = b.distinctValues(s, args)
	}
	if s.Name == "json_agg" && args[0].t.IsArray() {
		s.Wrap = strings.Replace(s.Wrap, ", '')", ", "+onItsLine+")", 1)
	}
	if strings.HasPrefix(s.Template, "ontosql_moments") && args[0].t.OID == types.Numeric && !args[0].t.Digits().Known() {
		args[0] = args[0].scaled(types.ColumnDigits) // the engine may have computed it in floating point
	}
	call := callText(&s, args)
	open := strings.IndexByte(call, '(') + 1
	inner := *l
	inner.inAgg = true
	if n.Over == nil {
		inner.group = nil
	}
	documents := n.AggDistinct && functions.Collecting[s.Name] && args[0].t.OID == types.JSONB
	listed := n.AggDistinct && functions.Collecting[s.Name] && len(n.AggOrder) < 2 && !documents
	if pairs := strings.HasPrefix(s.Template, "list(["); listed && !pairs {
		call = "list(" + args[0].sql + ")"
		open = len("list(")
	}
	if n.AggDistinct && !documents {
		call = call[:open] + "DISTINCT " + call[open:]
	}
	switch {
	case documents:
		s.Wrap = distinctDocuments(s.Wrap, n.AggOrder, b)
	case listed:
		s.Wrap = b.distinctListed(s, args, n.AggOrder)
	case len(n.AggOrder) > 0 && !n.AggWithinGroup:
		list, _ := b.orderList(n.AggOrder, &inner)
		call = call[:len(call)-1] + " ORDER BY " + list + ")"
	}
	if n.AggFilter != nil {
		inner.clause = "FILTER"
		call += " FILTER (WHERE " + b.condition(n.AggFilter, &inner, "FILTER").sql + ")"
	}
	out := expr{t: resultType(&s, args), loc: n.Location}
	if n.Over != nil {
		call += b.over(n.Over, l)
		out.agg = anyAgg(args)
		l.hasOver = true
	} else {
		b.forget(mark, l)
		out.agg = true
		l.hasAgg = true
	}
	if strings.Contains(s.Wrap, "{digits}") {
		s.Wrap = strings.ReplaceAll(s.Wrap, "{digits}", strconv.Itoa(args[0].t.Digits().DisplayScale))
	}
	if s.Wrap != "" {
		counted := "count" + call[open-1:] // of the same rows
		shown := expr{sql: call, t: types.Type{OID: types.Numeric, Typmod: -1, Numeric: types.Digits{DisplayScale: out.t.Numeric.DisplayScale}}}.operand()
		call = strings.NewReplacer("{agg}", call, "{count}", counted, "{shown}", shown).Replace(s.Wrap)
	}
	out.printed = printed(call, out.t)
	out.sql = call
	return out
}

// castCall is a function-style cast: text(x), int8(x), date(x).
func (b *exprBinder) castCall(name string, args []expr) (expr, bool) {
	i := types.ByName[name]
	if i == nil || i.EngineType == "" || len(args) != 1 {
		return expr{}, false
	}
	if args[0].t.OID != types.Unknown && !types.Castable(args[0].t, types.Of(i.OID)) {
		return expr{}, false
	}
	return b.coerce(args[0], types.Of(i.OID), types.ExplicitCast), true
}

// noFunction is 42883, or 42501 for what the sandbox keeps from a client
// (decision A23).
func (b *exprBinder) noFunction(name string, args []expr, loc int32) {
	written := name
	name = name[strings.LastIndexByte(name, '.')+1:]
	if functions.EngineOnly[name] || strings.HasPrefix(name, "duckdb_") || strings.HasPrefix(name, "pragma_") {
		b.fail(pgerr.New(pgerr.InsufficientPrivilege, "permission denied for function %s", name).
			WithHint("Functions of the engine that reach files, the network or its configuration cannot be called."), loc)
	}
	if slices.Contains(functions.Refused, name) {
		b.unsupported(loc, "function %s is not supported", name)
	}
	b.fail(pgerr.New(pgerr.UndefinedFunction, "function %s(%s) does not exist", written, argTypes(args)).WithHint(functions.NoFunctionHint), loc)
}
