package ddlstmt

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// checkOption is the option of a view that WITH CHECK OPTION sets.
const checkOption = "check_option"

// checkOptions are its values.
var checkOptions = map[pg.ViewCheckOption]string{pg.ViewCheckOption_LOCAL_CHECK_OPTION: "local", pg.ViewCheckOption_CASCADED_CHECK_OPTION: "cascaded"}

// viewOptions reads the options of a view, as pg_class.reloptions has them. Without roles that
// may not read a view or what it reads, security_barrier and security_invoker change nothing.
func viewOptions(options []*pg.Node) (out []string, err error) {
	var named []string
	for _, n := range options {
		name, value := n.GetDefElem().Defname, optionText(n.GetDefElem().Arg)
		if slices.Contains(named, name) {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "parameter %q specified more than once", name)
		}
		named = append(named, name)
		switch name {
		case "security_barrier", "security_invoker":
			if !isBoolean(value) {
				return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid value for boolean option %q: %s", name, value)
			}
		case checkOption:
			if v := strings.ToLower(value); v != "local" && v != "cascaded" {
				return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid value for enum option %q: %s", name, value).
					WithDetail("Valid values are \"local\" and \"cascaded\".")
			}
		default:
			return nil, pgerr.New(pgerr.InvalidParameterValue, "unrecognized parameter %q", name)
		}
		out = append(out, name+"="+value)
	}
	return out, nil
}

// optionText is the value of an option; one without a value is true.
func optionText(n *pg.Node) string {
	switch {
	case n == nil:
		return "true"
	case n.GetTypeName() != nil:
		return strings.Join(syntax.Strings(n.GetTypeName().Names), ".")
	case n.GetString_() != nil:
		return n.GetString_().Sval
	case n.GetFloat() != nil:
		return n.GetFloat().Fval
	case n.GetBoolean() != nil:
		return strconv.FormatBool(n.GetBoolean().Boolval)
	}
	return strconv.Itoa(int(n.GetInteger().GetIval()))
}

// isBoolean reports whether a text is a boolean value of an option (PostgreSQL's parse_bool).
func isBoolean(text string) bool {
	text = strings.ToLower(text)
	prefix := func(of string, least int) bool { return len(text) >= least && strings.HasPrefix(of, text) }
	return prefix("true", 1) || prefix("false", 1) || prefix("yes", 1) || prefix("no", 1) || prefix("on", 2) || prefix("off", 2) || text == "1" || text == "0"
}

// ViewAction is one action of ALTER VIEW: a default of a column, or options.
type ViewAction struct {
	Column  string               // "" for options
	Default *defaults.Expression // nil for DROP DEFAULT
	Options OptionChange
}

// ParseViewActions reads the actions of an ALTER VIEW, or of an ALTER TABLE of a view of a name.
func ParseViewActions(s *syntax.Statement, name string) (out []ViewAction, err error) {
	for _, c := range s.Node.GetAlterTableStmt().GetCmds() {
		n := c.GetAlterTableCmd()
		a := ViewAction{Column: n.Name}
		switch n.Subtype {
		case pg.AlterTableType_AT_ColumnDefault:
			if n.Def != nil {
				if a.Default, err = defaults.NewExpression(s, n.Def); err != nil {
					return nil, unplaced(err)
				}
			}
		case pg.AlterTableType_AT_SetRelOptions, pg.AlterTableType_AT_ResetRelOptions:
			a.Options, err = optionChange(n, viewOptions)
			if err != nil {
				return nil, err
			}
		case pg.AlterTableType_AT_ChangeOwner:
			return nil, pgerr.Unsupported("%s ... %s is not supported", s.Tag, actionWords(n.Subtype)).At(s.Target.Position)
		default:
			return nil, NotOn(n.Subtype, name, "views")
		}
		out = append(out, a)
	}
	return out, nil
}
