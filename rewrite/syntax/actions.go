package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// Action is a function of the schema ontosql that writes, or that looks at the name service. A SELECT
// calls it in FROM, or in its list if it has no FROM. The call is a part of the statement (Statement.Parts) that runs first
// and once, as a WITH query that writes does. One that takes effect at once (AtOnce) may also be all of
// the list of a SELECT with FROM: then it runs for each row.
type Action struct {
	Parameters []string // their names
	Types      []string // of the parameters (argumentText); nil for texts
	Required   int      // how many of them have no default, which is NULL
	Column     string   // its only column, as which its value stands in the list of a SELECT; "" if it returns a table
	Example    string
	// AtOnce says that it is no part of the transaction: what it did stays after ROLLBACK. A
	// statement that calls it is never run again on its own.
	AtOnce bool
	// Reads says that it changes nothing, and only looks at what stands beside the ontology.
	Reads bool
}

// Commits reports whether what the action does is part of the transaction.
func (a Action) Commits() bool { return !a.AtOnce && !a.Reads }

// Actions are the functions that write, by their names.
var Actions = map[string]Action{
	"tag":     {Parameters: []string{"name", "point", "message"}, Required: 1, Column: "commit_id", Example: "ontosql.tag('v1', 42, 'as it was audited')"},
	"revert":  {Parameters: []string{"point", "type", "key", "keep_new"}, Required: 1, Example: "ontosql.revert('v1', 'customer', 'c42', keep_new => true)"},
	"compact": {Parameters: []string{"type", "strategy"}, Required: 1, Example: "ontosql.compact('customer', 'tiered')"},
	"untag":   {Parameters: []string{"name"}, Required: 1, Column: "commit_id", Example: "ontosql.untag('v1')"},

	"claim": {
		Parameters: []string{"handler", "types", "namespace", "max", "lease", "session"}, Required: 2,
		Types: []string{"text", "text[]", "text", "int4", "interval", "text"}, AtOnce: true,
		Example: "ontosql.claim('mailer', ARRAY['order.placed'], max => 10, lease => '1 minute')",
	},
	"ack": {
		Parameters: []string{"id", "handler", "namespace", "session"}, Required: 2, Column: "acked",
		Types: []string{"uuid", "text", "text", "text"}, AtOnce: true,
		Example: "ontosql.ack('8f2c5e0a-3c62-4a53-9a39-0d9f5a4f7c11', 'mailer')",
	},
	"release": {
		Parameters: []string{"id", "handler", "error", "namespace", "session"}, Required: 2, Column: "released",
		Types: []string{"uuid", "text", "text", "text", "text"}, AtOnce: true,
		Example: "ontosql.release('8f2c5e0a-3c62-4a53-9a39-0d9f5a4f7c11', 'mailer', 'no route to host')",
	},
	"extend": {
		Parameters: []string{"id", "handler", "lease", "namespace", "session"}, Required: 3, Column: "extended",
		Types: []string{"uuid", "text", "interval", "text", "text"}, AtOnce: true,
		Example: "ontosql.extend('8f2c5e0a-3c62-4a53-9a39-0d9f5a4f7c11', 'mailer', '5 minutes')",
	},
	"replay": {
		Parameters: []string{"id", "namespace"}, Required: 1, Column: "id",
		Types: []string{"uuid", "text"}, AtOnce: true,
		Example: "ontosql.replay('8f2c5e0a-3c62-4a53-9a39-0d9f5a4f7c11')",
	},
	"cleanup_events": {
		Parameters: []string{"namespace", "before"}, Required: 2, Column: "removed",
		Types: []string{"text", "timestamptz"}, AtOnce: true,
		Example: "ontosql.cleanup_events('default', '2026-01-01')",
	},

	"ns_create": {
		Parameters: []string{"pk", "type", "deps"}, Required: 1, Column: "pk",
		Types: []string{"text", "text", "text[]"}, AtOnce: true,
		Example: "ontosql.ns_create('vg:search', 'vg:bm25', ARRAY['shop:main'])",
	},
	"ns_push": {
		Parameters: []string{"pk", "concern", "expected_v", "new_v", "payload", "expected_payload"}, Required: 5,
		Types: []string{"text", "text", "int8", "int8", "jsonb", "jsonb"}, AtOnce: true,
		Example: "ontosql.ns_push('shop:main', 'config', 0, 1, '{\"storage_uri\": \"s3://b/shop\"}')",
	},
	"ns_retract": {
		Parameters: []string{"pk", "reason"}, Required: 1, Column: "retracted",
		Types: []string{"text", "text"}, AtOnce: true,
		Example: "ontosql.ns_retract('shop:dev', 'merged')",
	},
	"ns_lock": {
		Parameters: []string{"pk", "kind", "holder", "target_t", "lease"}, Required: 3,
		Types: []string{"text", "text", "text", "int8", "interval"}, AtOnce: true,
		Example: "ontosql.ns_lock('shop:main', 'index', 'indexer-1', 42, '10 minutes')",
	},
	"ns_unlock": {
		Parameters: []string{"pk", "kind", "holder"}, Required: 3, Column: "unlocked",
		Types: []string{"text", "text", "text"}, AtOnce: true,
		Example: "ontosql.ns_unlock('shop:main', 'index', 'indexer-1')",
	},
	"branches": {
		Parameters: []string{}, Reads: true,
		Example: "ontosql.branches()",
	},
	"branch_diff": {
		Parameters: []string{"a", "b"}, Required: 2, Reads: true,
		Example: "ontosql.branch_diff('shop', 'shop:dev')",
	},
	"merge": {
		Parameters: []string{"from", "on_conflict", "dry_run"}, Required: 1, AtOnce: true,
		Types:   []string{"text", "text", "bool"},
		Example: "ontosql.merge('shop:dev', on_conflict => 'theirs')",
	},
	"ns_changed_since": {
		Parameters: []string{"known"}, Required: 1,
		Types: []string{"jsonb"}, Reads: true,
		Example: "ontosql.ns_changed_since('{\"shop:main\": {\"type\": \"ledger\", \"head_v\": 42}}')",
	},
}

const actionSchema = "ontosql"

// actionOf is the name of the action that a node calls, "" for none.
func actionOf(call *pg.FuncCall) string {
	names := Strings(call.GetFuncname())
	if len(names) < 2 || names[len(names)-2] != actionSchema {
		return ""
	}
	if _, ok := Actions[names[len(names)-1]]; !ok {
		return ""
	}
	return names[len(names)-1]
}

// moveActions makes the calls of actions in a SELECT queries of its WITH clause, which it reads:
// SELECT ontosql.untag('v1') becomes WITH u AS (call) SELECT commit_id AS untag FROM u.
func (t *Tree) moveActions(s *pg.SelectStmt) {
	if s == nil {
		return
	}
	if len(s.FromClause) == 0 && s.WhereClause == nil {
		for _, n := range s.TargetList {
			if v := moveTarget(s, n.GetResTarget()); v != nil {
				s.FromClause = append(s.FromClause, &pg.Node{Node: &pg.Node_RangeVar{RangeVar: v}})
			}
		}
		return
	}
	for _, n := range s.FromClause {
		moveFrom(s, n)
	}
	t.moveEach(s)
}

// moveTarget moves the call of an item of the list. It returns the mention of its rows, nil if the item
// is no call that has a value.
func moveTarget(s *pg.SelectStmt, t *pg.ResTarget) *pg.RangeVar {
	call := t.GetVal().GetFuncCall()
	name := actionOf(call)
	column := Actions[name].Column
	if column == "" {
		return nil
	}
	v := moveAction(s, call, name)
	if t.Name == "" {
		t.Name = name
	}
	t.Val = columnOf(v.Alias.Aliasname, column)
	return v
}

// moveEach moves a call that is all of the list of a plain SELECT, with the rows for which it runs:
// SELECT ontosql.ack(id, 'h') FROM e WHERE c becomes WITH a AS (call for each row of SELECT FROM e
// WHERE c) SELECT acked AS ack FROM a.
func (t *Tree) moveEach(s *pg.SelectStmt) {
	if len(s.TargetList) != 1 || len(s.DistinctClause) > 0 || len(s.GroupClause) > 0 || s.HavingClause != nil || len(s.LockingClause) > 0 || s.IntoClause != nil {
		return
	}
	target := s.TargetList[0].GetResTarget()
	call := target.GetVal().GetFuncCall()
	if !Actions[actionOf(call)].AtOnce {
		return
	}
	for _, by := range s.SortClause { // by what the call returns
		n := by.GetSortBy().GetNode()
		if names := Strings(n.GetColumnRef().GetFields()); n.GetAConst() != nil || len(names) == 1 && names[0] == cmp.Or(target.Name, actionOf(call)) {
			return
		}
	}
	rows := &pg.SelectStmt{
		FromClause: s.FromClause, WhereClause: s.WhereClause, SortClause: s.SortClause,
		LimitOffset: s.LimitOffset, LimitCount: s.LimitCount, LimitOption: s.LimitOption, Op: pg.SetOperation_SETOP_NONE,
		TargetList: []*pg.Node{{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: target.Val, Location: -1}}}},
	}
	v := moveTarget(s, target)
	if v == nil {
		return
	}
	if t.each == nil {
		t.each = map[*pg.FuncCall]*pg.SelectStmt{}
	}
	t.each[call] = rows
	s.FromClause = []*pg.Node{{Node: &pg.Node_RangeVar{RangeVar: v}}}
	s.WhereClause, s.SortClause, s.LimitOffset, s.LimitCount, s.LimitOption = nil, nil, nil, nil, pg.LimitOption_LIMIT_OPTION_DEFAULT
}

// moveFrom moves the calls of an item of FROM.
func moveFrom(s *pg.SelectStmt, n *pg.Node) {
	if j := n.GetJoinExpr(); j != nil {
		moveFrom(s, j.Larg)
		moveFrom(s, j.Rarg)
		return
	}
	f := n.GetRangeFunction()
	if f == nil || f.Ordinality || len(f.Coldeflist) > 0 {
		return
	}
	if name := actionOf(FunctionCall(f)); name != "" {
		v := moveAction(s, FunctionCall(f), name)
		if v.Alias.Aliasname = name; f.Alias != nil {
			v.Alias = f.Alias
		}
		n.Node = &pg.Node_RangeVar{RangeVar: v}
	}
}

// moveAction adds a call to the WITH clause of a SELECT. It returns the mention of its rows.
func moveAction(s *pg.SelectStmt, call *pg.FuncCall, name string) *pg.RangeVar {
	if s.WithClause == nil {
		s.WithClause = &pg.WithClause{Location: -1}
	}
	named := fmt.Sprintf("%s.%s#%d", actionSchema, name, len(s.WithClause.Ctes)+1) // as nobody names a query
	s.WithClause.Ctes = append(s.WithClause.Ctes, &pg.Node{Node: &pg.Node_CommonTableExpr{CommonTableExpr: &pg.CommonTableExpr{
		Ctename: named, Ctequery: &pg.Node{Node: &pg.Node_FuncCall{FuncCall: call}}, Location: call.Location,
	}}})
	return &pg.RangeVar{Relname: named, Inh: true, Relpersistence: "p", Alias: &pg.Alias{Aliasname: named}, Location: call.Location}
}

func columnOf(table, column string) *pg.Node {
	return &pg.Node{Node: &pg.Node_ColumnRef{ColumnRef: &pg.ColumnRef{Fields: []*pg.Node{pg.MakeStrNode(table), pg.MakeStrNode(column)}, Location: -1}}}
}

// actionArguments is the query of the arguments of an action, as texts in the order of its
// parameters.
func (t *Tree) actionArguments(call *pg.FuncCall) (*pg.Node, error) {
	name := actionOf(call)
	a := Actions[name]
	wrong := func() error {
		return pgerr.New(pgerr.UndefinedFunction, "function %s.%s does not take these arguments", actionSchema, name).
			WithDetail("It takes: %s.", strings.Join(a.Parameters, ", ")).
			WithHint("For example %s.", a.Example).At(t.Position(call.Location))
	}
	if call.Over != nil || call.AggDistinct || call.AggFilter != nil || len(call.AggOrder) > 0 || call.AggStar || call.FuncVariadic {
		return nil, wrong()
	}
	given := make([]*pg.Node, len(a.Parameters))
	for i, arg := range call.Args {
		if named := arg.GetNamedArgExpr(); named != nil {
			i, arg = slices.Index(a.Parameters, named.Name), named.Arg
		}
		if i < 0 || i >= len(given) || given[i] != nil {
			return nil, wrong()
		}
		given[i] = arg
	}
	var targets []*pg.Node
	for i, arg := range given {
		if arg == nil {
			if i < a.Required {
				return nil, wrong()
			}
			arg = &pg.Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Isnull: true, Location: -1}}}
		}
		targets = append(targets, &pg.Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Name: a.Parameters[i], Val: a.argumentText(i, arg), Location: -1}}})
	}
	if rows := t.each[call]; rows != nil {
		rows.TargetList = targets
		return &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: rows}}, nil
	}
	return selectOf(targets), nil
}

// argumentText is an argument as the text that the action reads: a list as JSON, an interval or a time
// in seconds, any other value as PostgreSQL casts it.
func (a Action) argumentText(i int, arg *pg.Node) *pg.Node {
	if a.Types == nil {
		return cast(arg, "text")
	}
	switch t := a.Types[i]; t {
	case "text[]":
		return cast(call("to_json", cast(arg, t)), "text")
	case "interval", "timestamptz":
		return cast(call("date_part", pg.MakeAConstStrNode("epoch", -1), cast(arg, t)), "text")
	default:
		return cast(cast(arg, t), "text")
	}
}

// cast is CAST(n AS a type of PostgreSQL); "text[]" is an array.
func cast(n *pg.Node, to string) *pg.Node {
	element, array := strings.CutSuffix(to, "[]")
	t := &pg.TypeName{Names: []*pg.Node{pg.MakeStrNode("pg_catalog"), pg.MakeStrNode(element)}, Typemod: -1, Location: -1}
	if array {
		t.ArrayBounds = []*pg.Node{pg.MakeIntNode(-1)}
	}
	return &pg.Node{Node: &pg.Node_TypeCast{TypeCast: &pg.TypeCast{Arg: n, TypeName: t, Location: -1}}}
}

// call is a call of a function of PostgreSQL.
func call(name string, args ...*pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{
		Funcname: []*pg.Node{pg.MakeStrNode("pg_catalog"), pg.MakeStrNode(name)}, Args: args, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL, Location: -1,
	}}}
}

// selectOf is a SELECT of some values.
func selectOf(targets []*pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: &pg.SelectStmt{
		TargetList: targets, LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT, Op: pg.SetOperation_SETOP_NONE,
	}}}
}
