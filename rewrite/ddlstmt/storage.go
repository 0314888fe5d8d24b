package ddlstmt

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// A parameter is what a storage parameter of a table or an index may be (PostgreSQL's reloptions.c).
type parameter struct {
	kind     parameterKind
	min, max float64
	heapOnly bool // it has no toast. form
}

type parameterKind uint8

const (
	integerParameter parameterKind = iota
	floatParameter
	boolParameter
	enumParameter // on, off or auto
)

// tableParameters are the storage parameters of tables. They are kept in the catalog: the engine
// has none of what they set.
var tableParameters = map[string]parameter{
	"fillfactor":         {min: 10, max: 100, heapOnly: true},
	"toast_tuple_target": {min: 128, max: 8160, heapOnly: true},
	"parallel_workers":   {min: 0, max: 1024, heapOnly: true},
	"user_catalog_table": {kind: boolParameter, heapOnly: true},

	"autovacuum_enabled":                    {kind: boolParameter},
	"autovacuum_vacuum_threshold":           {min: 0, max: 1<<31 - 1},
	"autovacuum_vacuum_insert_threshold":    {min: -1, max: 1<<31 - 1},
	"autovacuum_analyze_threshold":          {min: 0, max: 1<<31 - 1, heapOnly: true},
	"autovacuum_vacuum_cost_limit":          {min: 1, max: 10000},
	"autovacuum_freeze_min_age":             {min: 0, max: 1000000000},
	"autovacuum_multixact_freeze_min_age":   {min: 0, max: 1000000000},
	"autovacuum_freeze_max_age":             {min: 100000, max: 2000000000},
	"autovacuum_multixact_freeze_max_age":   {min: 10000, max: 2000000000},
	"autovacuum_freeze_table_age":           {min: 0, max: 2000000000},
	"autovacuum_multixact_freeze_table_age": {min: 0, max: 2000000000},
	"log_autovacuum_min_duration":           {min: -1, max: 1<<31 - 1},

	"autovacuum_vacuum_cost_delay":          {kind: floatParameter, min: 0, max: 100},
	"autovacuum_vacuum_scale_factor":        {kind: floatParameter, min: 0, max: 100},
	"autovacuum_vacuum_insert_scale_factor": {kind: floatParameter, min: 0, max: 100},
	"autovacuum_analyze_scale_factor":       {kind: floatParameter, min: 0, max: 100, heapOnly: true},

	"vacuum_index_cleanup": {kind: enumParameter},
	"vacuum_truncate":      {kind: boolParameter},
}

// indexParameters are the storage parameters of indexes by their access methods.
var indexParameters = map[string]map[string]parameter{
	"btree": {"fillfactor": {min: 10, max: 100}, "deduplicate_items": {kind: boolParameter}},
	"hash":  {"fillfactor": {min: 10, max: 100}},
	"gist":  {"fillfactor": {min: 10, max: 100}, "buffering": {kind: enumParameter}},
	"gin":   {"fastupdate": {kind: boolParameter}, "gin_pending_list_limit": {min: 64, max: 1<<31 - 1}},
	"brin":  {"pages_per_range": {min: 1, max: 131072}, "autosummarize": {kind: boolParameter}},
}

// storageOf are the storage parameters of a table, if it is an ordinary one. The others are
// returned as they are.
func storageOf(options []*pg.Node, ordinary bool) (others []*pg.Node, storage []string, err error) {
	if !ordinary {
		return options, nil, nil
	}
	storage, err = tableOptions(options)
	return nil, storage, err
}

// tableOptions are the options of WITH of a table, as pg_class.reloptions has them.
func tableOptions(options []*pg.Node) ([]string, error) {
	var others []*pg.Node
	for _, o := range options {
		e := o.GetDefElem()
		if e.Defnamespace != "" || e.Defname != "oids" {
			others = append(others, o)
		} else if sql, ok := input.Boolean(optionText(e.Arg)); !ok || sql != "FALSE" {
			return nil, pgerr.Unsupported("tables declared WITH OIDS are not supported")
		}
	}
	return storageOptions(others, tableParameters, "toast")
}

// storageOptions are options of WITH or SET, as pg_class.reloptions has them. Those of a
// namespace, as in toast.autovacuum_enabled, are checked and left out: PostgreSQL keeps them with
// the table's TOAST table, which is not there.
func storageOptions(options []*pg.Node, known map[string]parameter, namespace string) ([]string, error) {
	var out, inside, named []string
	for _, o := range options {
		e := o.GetDefElem()
		option := e.Defname + "=" + optionText(e.Arg)
		switch e.Defnamespace {
		case "":
			out = append(out, option)
		case namespace:
			inside = append(inside, option)
		default:
			return nil, pgerr.New(pgerr.InvalidParameterValue, "unrecognized parameter namespace %q", e.Defnamespace)
		}
	}
	for i, option := range slices.Concat(out, inside) {
		name, value, _ := strings.Cut(option, "=")
		p, known := known[name]
		key := strconv.FormatBool(i < len(out)) + name
		switch {
		case !known, i >= len(out) && p.heapOnly:
			return nil, pgerr.New(pgerr.InvalidParameterValue, "unrecognized parameter %q", name)
		case slices.Contains(named, key):
			return nil, pgerr.New(pgerr.InvalidParameterValue, "parameter %q specified more than once", name)
		}
		named = append(named, key)
		if err := p.check(name, value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// OptionChange is a SET or RESET of options.
type OptionChange struct {
	Set   []string // as pg_class.reloptions has them
	Reset []string // names
}

// Apply gives options after the change: those that are set come last.
func (c *OptionChange) Apply(options []string) []string {
	named := func(name string) func(string) bool {
		return func(o string) bool { return strings.HasPrefix(o, name+"=") }
	}
	options = slices.Clone(options)
	for _, name := range c.Reset {
		options = slices.DeleteFunc(options, named(name))
	}
	for _, o := range c.Set {
		name, _, _ := strings.Cut(o, "=")
		options = slices.DeleteFunc(options, named(name))
	}
	return append(options, c.Set...)
}

// optionChange reads a SET or RESET of options, which read checks.
func optionChange(n *pg.AlterTableCmd, read func([]*pg.Node) ([]string, error)) (c OptionChange, err error) {
	options := n.Def.GetList().GetItems()
	if n.Subtype == pg.AlterTableType_AT_SetRelOptions {
		c.Set, err = read(options)
		return c, err
	}
	for _, o := range options {
		e := o.GetDefElem()
		if e.Arg != nil {
			return c, pgerr.New(pgerr.SyntaxError, "RESET must not include values for parameters")
		}
		if e.Defnamespace == "" {
			c.Reset = append(c.Reset, e.Defname)
		}
	}
	return c, nil
}

// tableOptionChange reads a SET or RESET of the storage parameters of a table.
func tableOptionChange(n *pg.AlterTableCmd) (OptionChange, error) {
	return optionChange(n, func(options []*pg.Node) ([]string, error) { return storageOptions(options, tableParameters, "toast") })
}

// ParseIndexActions reads the actions of an ALTER INDEX, or of an ALTER TABLE of an index of a
// name, which has an access method.
func ParseIndexActions(s *syntax.Statement, name, method string) (out []OptionChange, err error) {
	for _, c := range s.Node.GetAlterTableStmt().GetCmds() {
		n := c.GetAlterTableCmd()
		switch n.Subtype {
		case pg.AlterTableType_AT_SetRelOptions, pg.AlterTableType_AT_ResetRelOptions:
		case pg.AlterTableType_AT_SetTableSpace, pg.AlterTableType_AT_SetStatistics, pg.AlterTableType_AT_ChangeOwner:
			return nil, pgerr.Unsupported("%s ... %s is not supported", s.Tag, actionWords(n.Subtype)).At(s.Target.Position)
		default:
			return nil, NotOn(n.Subtype, name, "indexes")
		}
		change, err := optionChange(n, func(options []*pg.Node) ([]string, error) {
			return storageOptions(options, indexParameters[method], "toast") // which PostgreSQL ignores here
		})
		if err != nil {
			return nil, err
		}
		out = append(out, change)
	}
	return out, nil
}

// check is the error of a value that a parameter cannot have.
func (p parameter) check(name, value string) error {
	bad := func(kind string) *pgerr.Error {
		return pgerr.New(pgerr.InvalidParameterValue, "invalid value for %s option %q: %s", kind, name, value)
	}
	var n float64
	var err error
	show := func(n float64) string { return strconv.FormatFloat(n, 'f', 0, 64) }
	switch p.kind {
	case boolParameter:
		if _, ok := input.Boolean(value); !ok {
			return bad("boolean")
		}
		return nil
	case enumParameter:
		if _, ok := input.Boolean(value); !ok && !strings.EqualFold(value, "auto") {
			return bad("enum").WithDetail(`Valid values are "on", "off", and "auto".`)
		}
		return nil
	case floatParameter:
		if n, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil {
			return bad("floating point")
		}
		show = func(n float64) string { return strconv.FormatFloat(n, 'f', 6, 64) }
	case integerParameter: // parse_int rounds a fraction
		if n, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil || n > 1<<31-1 || n < -1<<31 {
			return bad("integer")
		}
	}
	if n < p.min || n > p.max {
		return pgerr.New(pgerr.InvalidParameterValue, "value %s out of bounds for option %q", value, name).
			WithDetail("Valid values are between %q and %q.", show(p.min), show(p.max))
	}
	return nil
}

// plainTable refuses what a table of an ontology cannot be.
func plainTable(rel *pg.RangeVar, onCommit pg.OnCommitAction, tablespace, method string, options []*pg.Node, at int) error {
	feature := ""
	switch {
	case rel.Relpersistence == "t" && rel.Schemaname != "" && !isTempSchema(rel.Schemaname):
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema").At(at)
	case rel.Relpersistence == "u":
		feature = "CREATE UNLOGGED TABLE"
	case onCommit > pg.OnCommitAction_ONCOMMIT_NOOP && !temporary(rel):
		return pgerr.New(pgerr.InvalidTableDefinition, "ON COMMIT can only be used on temporary tables")
	case tablespace != "":
		feature = "TABLESPACE"
	case method != "" && method != "heap":
		feature = "the access method " + method
	case len(options) > 0:
		feature = "a storage parameter"
	default:
		return nil
	}
	return pgerr.Unsupported("%s is not supported", feature).At(at)
}
