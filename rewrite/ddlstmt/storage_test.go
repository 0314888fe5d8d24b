package ddlstmt_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// The storage parameters of a table are read and checked as in PostgreSQL.
func TestStorageParameters(t *testing.T) {
	for with, want := range map[string][]string{
		"fillfactor = 100": {"fillfactor=100"},
		"autovacuum_enabled, fillfactor = '70', oids = false, toast.autovacuum_enabled = off, autovacuum_vacuum_scale_factor = 0.10, vacuum_index_cleanup = AUTO": {
			"autovacuum_enabled=true", "fillfactor=70", "autovacuum_vacuum_scale_factor=0.10", "vacuum_index_cleanup=auto",
		},
	} {
		if got, err := tableWith(t, with); err != nil || !slices.Equal(got.Options, want) {
			t.Errorf("%s: got %v, %v, want %q", with, got, err, want)
		}
	}
	for with, want := range map[string]string{ // message and detail
		"fillfactor = 5":                       `value 5 out of bounds for option "fillfactor" Valid values are between "10" and "100".`,
		"fillfactor = abc":                     `invalid value for integer option "fillfactor": abc `,
		"fillfactor":                           `invalid value for integer option "fillfactor": true `,
		"autovacuum_enabled = maybe":           `invalid value for boolean option "autovacuum_enabled": maybe `,
		"vacuum_index_cleanup = xx":            `invalid value for enum option "vacuum_index_cleanup": xx Valid values are "on", "off", and "auto".`,
		"autovacuum_vacuum_scale_factor = 1e9": `value 1e9 out of bounds for option "autovacuum_vacuum_scale_factor" Valid values are between "0.000000" and "100.000000".`,
		"autovacuum_vacuum_scale_factor = xx":  `invalid value for floating point option "autovacuum_vacuum_scale_factor": xx `,
		"foo = 1":                              `unrecognized parameter "foo" `,
		"toast.fillfactor = 50":                `unrecognized parameter "fillfactor" `,
		"foo.fillfactor = 50":                  `unrecognized parameter namespace "foo" `,
		"fillfactor = 20, fillfactor = 30":     `parameter "fillfactor" specified more than once `,
		"oids = true":                          "tables declared WITH OIDS are not supported ",
	} {
		_, err := tableWith(t, with)
		if e := (*pgerr.Error)(nil); !errors.As(err, &e) || e.Message+" "+e.Detail != want {
			t.Errorf("%s: got %v, want %s", with, err, want)
		}
	}
}

// tableWith parses the definition of a table with storage parameters.
func tableWith(t *testing.T, parameters string) (*ddlstmt.Definition, error) {
	t.Helper()
	st, err := syntax.Analyze("CREATE TEMP TABLE a (x int) WITH (" + parameters + ")")
	if err != nil {
		t.Fatal(err)
	}
	return ddlstmt.ParseDefinition(st, rewritetest.Env{})
}
