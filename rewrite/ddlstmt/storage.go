package ddlstmt

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/input"
)

// A parameter is what a storage parameter of a table may be (PostgreSQL's reloptions.c).
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
	var out, toast, named []string
	for _, o := range options {
		e := o.GetDefElem()
		name, value := e.Defname, optionText(e.Arg)
		switch e.Defnamespace {
		case "":
			if name == "oids" {
				if sql, ok := input.Boolean(value); !ok || sql != "FALSE" {
					return nil, pgerr.Unsupported("tables declared WITH OIDS are not supported")
				}
				continue
			}
			out = append(out, name+"="+value)
		case "toast": // PostgreSQL keeps them with the table's TOAST table, which is not there
			toast = append(toast, name+"="+value)
		default:
			return nil, pgerr.New(pgerr.InvalidParameterValue, "unrecognized parameter namespace %q", e.Defnamespace)
		}
	}
	for i, option := range slices.Concat(out, toast) {
		name, value, _ := strings.Cut(option, "=")
		p, known := tableParameters[name]
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
