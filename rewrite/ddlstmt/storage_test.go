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
	for _, c := range []struct {
		with    string
		options []string
		err     string // message and detail
	}{
		{with: "fillfactor = 100", options: []string{"fillfactor=100"}},
		{
			with:    "autovacuum_enabled, fillfactor = '70', oids = false, toast.autovacuum_enabled = off, autovacuum_vacuum_scale_factor = 0.10, vacuum_index_cleanup = AUTO",
			options: []string{"autovacuum_enabled=true", "fillfactor=70", "autovacuum_vacuum_scale_factor=0.10", "vacuum_index_cleanup=auto"},
		},
		{with: "fillfactor = 5", err: `value 5 out of bounds for option "fillfactor" Valid values are between "10" and "100".`},
		{with: "fillfactor = abc", err: `invalid value for integer option "fillfactor": abc `},
		{with: "fillfactor", err: `invalid value for integer option "fillfactor": true `},
		{with: "autovacuum_enabled = maybe", err: `invalid value for boolean option "autovacuum_enabled": maybe `},
		{with: "vacuum_index_cleanup = xx", err: `invalid value for enum option "vacuum_index_cleanup": xx Valid values are "on", "off", and "auto".`},
		{with: "autovacuum_vacuum_scale_factor = 1e9", err: `value 1e9 out of bounds for option "autovacuum_vacuum_scale_factor" Valid values are between "0.000000" and "100.000000".`},
		{with: "autovacuum_vacuum_scale_factor = xx", err: `invalid value for floating point option "autovacuum_vacuum_scale_factor": xx `},
		{with: "foo = 1", err: `unrecognized parameter "foo" `},
		{with: "toast.fillfactor = 50", err: `unrecognized parameter "fillfactor" `},
		{with: "foo.fillfactor = 50", err: `unrecognized parameter namespace "foo" `},
		{with: "fillfactor = 20, fillfactor = 30", err: `parameter "fillfactor" specified more than once `},
		{with: "oids = true", err: "tables declared WITH OIDS are not supported "},
	} {
		st, err := syntax.Analyze("CREATE TEMP TABLE a (x int) WITH (" + c.with + ")")
		if err != nil {
			t.Fatal(err)
		}
		d, err := ddlstmt.ParseDefinition(st, rewritetest.Env{})
		var e *pgerr.Error
		switch {
		case errors.As(err, &e) && e.Message+" "+e.Detail == c.err:
		case err == nil && c.err == "" && slices.Equal(d.Options, c.options):
		default:
			t.Errorf("%s: got %v, %v", c.with, d, err)
		}
	}
}
