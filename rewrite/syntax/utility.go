package syntax

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/types"
)

// explain reads EXPLAIN with the options of PostgreSQL 15. Those without a
// meaning here are checked all the same.
func (st *Statement) explain(n *pg.ExplainStmt) (err error) {
	if st.Inner, err = NewStatement(st.Tree, n.Query); err != nil {
		return err
	}
	st.ReadOnly = st.Inner.ReadOnly
	st.Explain.Format = "text"
	on := map[string]bool{}
	for _, o := range n.Options {
		d := o.GetDefElem()
		switch name := d.GetDefname(); name {
		case "format":
			st.Explain.Format = strings.ToLower(OptionText(d.Arg))
			switch st.Explain.Format {
			case "text", "json", "xml", "yaml":
			default:
				return pgerr.New(pgerr.InvalidParameterValue, `unrecognized value for EXPLAIN option "format": %q`, OptionText(d.Arg)).
					At(st.Tree.Position(d.Location))
			}
		case "analyze", "verbose", "costs", "settings", "buffers", "wal", "timing", "summary":
			if on[name], err = BoolOption(d); err != nil {
				return err
			}
		default:
			return pgerr.New(pgerr.SyntaxError, "unrecognized EXPLAIN option %q", name).At(st.Tree.Position(d.Location))
		}
	}
	st.Explain.Analyze, st.Explain.Verbose = on["analyze"], on["verbose"]
	for _, name := range []string{"wal", "timing"} {
		if on[name] && !st.Explain.Analyze {
			return pgerr.New(pgerr.InvalidParameterValue, "EXPLAIN option %s requires ANALYZE", strings.ToUpper(name))
		}
	}
	var asked bool
	if st.Explain.Summary, asked = on["summary"]; !asked {
		st.Explain.Summary = st.Explain.Analyze
	}
	return nil
}

// BoolOption is the value of an option of a utility statement that is true or false: defGetBoolean of
// PostgreSQL.
func BoolOption(d *pg.DefElem) (bool, error) {
	if d.Arg == nil {
		return true, nil
	}
	switch strings.ToLower(OptionText(d.Arg)) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value", d.Defname)
}

// OptionText is the text of an option's or setting's value.
func OptionText(n *pg.Node) string {
	switch v := n.GetNode().(type) {
	case *pg.Node_String_:
		return v.String_.Sval
	case *pg.Node_Integer:
		return strconv.Itoa(int(v.Integer.Ival))
	case *pg.Node_Float:
		return v.Float.Fval
	case *pg.Node_Boolean:
		return strconv.FormatBool(v.Boolean.Boolval)
	case *pg.Node_AConst:
		text, _ := ConstText(v.AConst)
		return text
	case *pg.Node_TypeCast:
		text := OptionText(v.TypeCast.Arg)
		if names := Strings(v.TypeCast.TypeName.GetNames()); len(names) > 0 && names[len(names)-1] == "interval" { // of SET TIME ZONE
			return "INTERVAL " + enginesql.Literal(intervalZone(text, v.TypeCast.TypeName))
		}
		return text
	case *pg.Node_TypeName:
		names := Strings(v.TypeName.Names)
		return names[len(names)-1]
	case *pg.Node_List:
		var parts []string
		for _, i := range v.List.Items {
			parts = append(parts, OptionText(i))
		}
		return strings.Join(parts, ",")
	case *pg.Node_AStar:
		return "*"
	}
	return ""
}

// intervalZone is the interval of a SET TIME ZONE, with the unit of a bare number from its
// fields; other values are returned unchanged.
func intervalZone(text string, as *pg.TypeName) string {
	fields := int32(types.AllIntervalFields)
	if len(as.Typmods) > 0 {
		fields = as.Typmods[0].GetAConst().GetIval().GetIval()
	}
	months, days, micros, err := input.ParseInterval(text, fields, false)
	if err != nil {
		return text
	}
	return datetime.IntervalText(months, days, micros)
}

// ConstText is a constant in PostgreSQL's text form; ok is false for NULL.
func ConstText(c *pg.A_Const) (text string, ok bool) {
	switch v := c.GetVal().(type) {
	case *pg.A_Const_Ival:
		return strconv.Itoa(int(v.Ival.GetIval())), true
	case *pg.A_Const_Fval:
		return v.Fval.GetFval(), true
	case *pg.A_Const_Boolval:
		return strconv.FormatBool(v.Boolval.GetBoolval()), true
	case *pg.A_Const_Sval:
		return v.Sval.GetSval(), true
	case *pg.A_Const_Bsval:
		return v.Bsval.GetBsval(), true
	}
	return "", false
}

func (st *Statement) setting(n *pg.VariableSetStmt) {
	st.ReadOnly = true
	st.Kind, st.Tag = Set, "SET"
	st.Local = n.IsLocal
	st.Name = strings.ToLower(n.Name)
	switch n.Kind {
	case pg.VariableSetKind_VAR_RESET:
		st.Kind, st.Tag = Reset, "RESET"
	case pg.VariableSetKind_VAR_RESET_ALL:
		st.Kind, st.Tag, st.All, st.Name = Reset, "RESET", true, ""
	case pg.VariableSetKind_VAR_SET_MULTI:
		// SET TRANSACTION and SET SESSION CHARACTERISTICS have modes; TRANSACTION
		// SNAPSHOT has a value.
		st.Modes = modes(n.Args)
		switch st.Name {
		case "transaction":
			st.Name = ""
		case "session characteristics":
			st.Name, st.Modes.Session = "", true
		case "transaction snapshot":
			st.Values = settingValues(n.Args)
		}
	case pg.VariableSetKind_VAR_SET_VALUE:
		st.Values = settingValues(n.Args)
	}
}

func settingValues(args []*pg.Node) []string {
	values := []string{}
	for _, a := range args {
		values = append(values, OptionText(a))
	}
	return values
}

func modes(options []*pg.Node) (m Modes) {
	for _, o := range options {
		d := o.GetDefElem()
		on := OptionText(d.GetArg())
		yes := on == "1" || on == "true"
		switch d.GetDefname() {
		case "transaction_isolation":
			m.Isolation = on
		case "transaction_read_only":
			m.ReadOnly = &yes
		case "transaction_deferrable":
			m.Deferrable = &yes
		}
	}
	return m
}

// transactionCommands are the kinds and tags of transaction control statements.
var transactionCommands = map[pg.TransactionStmtKind]struct {
	kind Kind
	tag  string
}{
	pg.TransactionStmtKind_TRANS_STMT_BEGIN: {Begin, "BEGIN"}, pg.TransactionStmtKind_TRANS_STMT_START: {Begin, "START TRANSACTION"},
	pg.TransactionStmtKind_TRANS_STMT_COMMIT: {Commit, "COMMIT"}, pg.TransactionStmtKind_TRANS_STMT_ROLLBACK: {Rollback, "ROLLBACK"},
	pg.TransactionStmtKind_TRANS_STMT_SAVEPOINT: {Savepoint, "SAVEPOINT"}, pg.TransactionStmtKind_TRANS_STMT_RELEASE: {Release, "RELEASE"},
	pg.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO: {RollbackTo, "ROLLBACK"}, pg.TransactionStmtKind_TRANS_STMT_PREPARE: {PrepareTransaction, "PREPARE TRANSACTION"},
	pg.TransactionStmtKind_TRANS_STMT_COMMIT_PREPARED:   {FinishPrepared, "COMMIT PREPARED"},
	pg.TransactionStmtKind_TRANS_STMT_ROLLBACK_PREPARED: {FinishPrepared, "ROLLBACK PREPARED"},
}

func (st *Statement) transaction(n *pg.TransactionStmt) error {
	st.ReadOnly = true
	st.Chain = n.Chain
	st.Modes = modes(n.Options)
	c := transactionCommands[n.Kind]
	st.Kind, st.Tag, st.Name = c.kind, c.tag, n.SavepointName
	if st.Kind == FinishPrepared {
		st.Name = n.Gid
	}
	return nil
}

func (st *Statement) prepare(n *pg.PrepareStmt) (err error) {
	st.Name = n.Name
	for _, a := range n.Argtypes {
		ty, err := TypeOf(st.Tree, a.GetTypeName())
		if err != nil {
			return err
		}
		st.Types = append(st.Types, ty.OID)
	}
	st.Inner, err = NewStatement(st.Tree, n.Query)
	if err == nil {
		st.ReadOnly = st.Inner.ReadOnly
	}
	return err
}

// Arguments is the statement that computes the arguments of EXECUTE, for a prepared
// statement with parameters of these types: one row of their texts, in PostgreSQL's
// form.
func (st *Statement) Arguments(typs []uint32) (*Statement, error) {
	given := st.Node.GetExecuteStmt().Params
	if len(given) != len(typs) {
		return nil, pgerr.New(pgerr.SyntaxError, "wrong number of parameters for prepared statement %q", st.Name).
			WithDetail("Expected %d parameters but got %d.", len(typs), len(given))
	}
	row := &pg.SelectStmt{LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT, Op: pg.SetOperation_SETOP_NONE}
	for i, arg := range given {
		row.TargetList = append(row.TargetList, pg.MakeResTargetNodeWithVal(CastNode(CastNode(arg, typs[i]), types.Text), -1))
	}
	values, err := NewStatement(st.Tree, &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: row}})
	if err == nil && len(values.Refs) > 0 {
		err = pgerr.Unsupported("cannot use subquery in EXECUTE parameter")
	}
	return values, err
}

// Argument is the statement that selects argument i of EXECUTE as it is given, nil for a
// literal that has no type of its own.
func (st *Statement) Argument(i int) (*Statement, error) {
	arg := st.Node.GetExecuteStmt().Params[i]
	if c := arg.GetAConst(); c != nil && (c.Isnull || c.GetSval() != nil) {
		return nil, nil
	}
	row := &pg.SelectStmt{LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT, Op: pg.SetOperation_SETOP_NONE}
	row.TargetList = append(row.TargetList, pg.MakeResTargetNodeWithVal(arg, -1))
	return NewStatement(st.Tree, &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: row}})
}

// CheckArgument refuses argument i of EXECUTE if no assignment casts its type to that of
// the parameter.
func (st *Statement) CheckArgument(i int, given, parameter uint32) error {
	if types.Assignable(types.Of(given), types.Of(parameter)) {
		return nil
	}
	arg := st.Node.GetExecuteStmt().Params[i]
	at := Location(arg)
	if c := arg.GetTypeCast(); c != nil && c.Location < 0 { // date '2024-05-17', which is shown as written
		at = c.TypeName.Location
	}
	return pgerr.New(pgerr.DatatypeMismatch, "parameter $%d of type %s cannot be coerced to the expected type %s", i+1, types.Of(given), types.Of(parameter)).
		WithHint(types.RewriteHint).At(st.Tree.Position(at))
}

// CastNode is CAST(n AS the type).
func CastNode(n *pg.Node, oid uint32) *pg.Node {
	name := "_"
	if i := types.ByArrayOID[oid]; i != nil {
		name += i.Name
	} else {
		name = types.ByOID[oid].Name
	}
	return &pg.Node{Node: &pg.Node_TypeCast{TypeCast: &pg.TypeCast{
		Arg: n, TypeName: &pg.TypeName{Names: []*pg.Node{pg.MakeStrNode("pg_catalog"), pg.MakeStrNode(name)}, Typemod: -1, Location: -1}, Location: -1,
	}}}
}

func (st *Statement) discard(n *pg.DiscardStmt) {
	st.Kind, st.ReadOnly = Discard, true
	what := map[pg.DiscardMode]string{
		pg.DiscardMode_DISCARD_ALL: "ALL", pg.DiscardMode_DISCARD_PLANS: "PLANS",
		pg.DiscardMode_DISCARD_SEQUENCES: "SEQUENCES", pg.DiscardMode_DISCARD_TEMP: "TEMP",
	}[n.Target]
	st.Tag, st.All, st.Values = "DISCARD "+what, what == "ALL", []string{strings.ToLower(what)}
}

// Bits of DeclareCursorStmt.options (PostgreSQL's parsenodes.h).
const (
	cursorBinary      = 1
	cursorScroll      = 2
	cursorNoScroll    = 4
	cursorInsensitive = 8
	cursorHold        = 32
)

// checkCursor refuses options of DECLARE that exclude each other.
func checkCursor(c *pg.DeclareCursorStmt) error {
	has := func(option int32) bool { return c.Options&option != 0 }
	if has(cursorScroll) && has(cursorNoScroll) {
		return pgerr.New(invalidCursorDefinition, "cannot specify both SCROLL and NO SCROLL")
	}
	if len(c.Query.GetSelectStmt().GetLockingClause()) == 0 {
		return nil
	}
	strength := LockStrengthOf(c.Query.GetSelectStmt().LockingClause[0])
	switch {
	case has(cursorHold):
		return pgerr.Unsupported("DECLARE CURSOR WITH HOLD ... %s is not supported", strength).WithDetail("Holdable cursors must be READ ONLY.")
	case has(cursorScroll):
		return pgerr.Unsupported("DECLARE SCROLL CURSOR ... %s is not supported", strength).WithDetail("Scrollable cursors must be READ ONLY.")
	case has(cursorInsensitive):
		return pgerr.New(invalidCursorDefinition, "DECLARE INSENSITIVE CURSOR ... %s is not valid", strength).WithDetail("Insensitive cursors must be READ ONLY.")
	}
	return nil
}

// invalidCursorDefinition is ERRCODE_INVALID_CURSOR_DEFINITION of PostgreSQL.
const invalidCursorDefinition = "42P11"

func (st *Statement) cursor() (err error) {
	st.ReadOnly = true
	switch n := st.Node.Node.(type) {
	case *pg.Node_DeclareCursorStmt:
		c := n.DeclareCursorStmt
		st.Kind, st.Tag, st.Name = DeclareCursor, "DECLARE CURSOR", c.Portalname
		st.Cursor = CursorOptions{
			Binary: c.Options&cursorBinary != 0, Scroll: c.Options&cursorScroll != 0,
			NoScroll: c.Options&cursorNoScroll != 0, Hold: c.Options&cursorHold != 0,
		}
		if err := checkCursor(c); err != nil {
			return err
		}
		st.Inner, err = NewStatement(st.Tree, c.Query)
	case *pg.Node_FetchStmt:
		st.Kind, st.Tag, st.Name = Fetch, "FETCH", n.FetchStmt.Portalname
		if n.FetchStmt.Ismove {
			st.Kind, st.Tag = Move, "MOVE"
		}
		st.Cursor.Count = n.FetchStmt.HowMany
		st.Cursor.Direction = strings.ToLower(strings.TrimPrefix(n.FetchStmt.Direction.String(), "FETCH_"))
	case *pg.Node_ClosePortalStmt:
		st.Kind, st.Tag, st.Name = CloseCursor, "CLOSE CURSOR", n.ClosePortalStmt.Portalname
		if st.All = st.Name == ""; st.All {
			st.Tag = "CLOSE CURSOR ALL"
		}
	}
	return err
}

func (st *Statement) copyOptions(n *pg.CopyStmt) (err error) {
	st.Copy = CopyOptions{From: n.IsFrom, File: n.Filename, Program: n.IsProgram, Columns: Strings(n.Attlist), Where: n.WhereClause != nil}
	for _, o := range n.Options {
		d := o.GetDefElem()
		_, all := d.GetArg().GetNode().(*pg.Node_AStar)
		st.Copy.Options = append(st.Copy.Options, CopyOption{
			Name: d.GetDefname(), Given: d.Arg != nil, Value: OptionText(d.GetArg()), Columns: Strings(d.GetArg().GetList().GetItems()), All: all,
			Position: st.Tree.Position(d.Location),
		})
	}
	if n.Query != nil {
		st.Inner, err = NewStatement(st.Tree, n.Query)
	}
	st.ReadOnly = !n.IsFrom
	return err
}

// lockModes are the modes of LOCK TABLE, weak ones first, from 1.
var lockModes = []string{
	"", "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE",
}

// lock reads LOCK TABLE.
func (st *Statement) lock(n *pg.LockStmt) {
	st.Lock.Mode = lockModes[n.Mode]
	st.Lock.Weak, st.Lock.NoWait = n.Mode <= 3, n.Nowait
	for _, r := range n.Relations {
		st.Lock.Tables = append(st.Lock.Tables, st.RefOf(r.GetRangeVar()))
	}
}
