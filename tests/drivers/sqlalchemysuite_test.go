package drivers

import (
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// suiteLimit is the time that SQLAlchemy's suite may take, on a busy machine.
const suiteLimit = 15 * time.Minute

// suiteCommand runs SQLAlchemy's suite, over psycopg, in a schema of the workspace: it is the
// schema of all names without one. The tests called get_multi are left out for time: they ask the
// queries of the other tests of reflection for several tables at once, in several hundred combinations, and
// passed when they were last run.
const suiteCommand = `psql -qc 'CREATE SCHEMA suite' -c 'CREATE SCHEMA test_schema' && cd python/sqlalchemy_suite && \
PGOPTIONS=-csearch_path=suite PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=. "$TOOLS"/python/bin/python -m pytest test_suite.py -q \
	--dburi postgresql+psycopg:// -W ignore -k 'not get_multi' --junitxml="$REPORT" >&2; [ -s "$REPORT" ]`

// suiteMinimum is a number of passed tests below which the suite did not run as it should.
const suiteMinimum = 1000

// suiteKnown are the tests of the suite that do not pass, by class, or by class and test.
var suiteKnown = map[string]known{
	"EnumTest":                                     {`CREATE ENUM is not supported`, `there are no types of users: CREATE TYPE is 0A000`},
	"ArrayTest.test_array_roundtrip":               {`arrays whose number of dimensions is not known`, `a column of an array type has one dimension`},
	"ArrayTest.test_literal_complex":               {`arrays of several dimensions cannot be stored`, `a column of an array type has one dimension`},
	"WindowFunctionTest.test_window_range":         {`(4,), `, `the test has no ORDER BY: PostgreSQL returns the rows in the order of the window, the engine in another`},
	"WindowFunctionTest.test_window_range_numeric": {`.5,), `, `as WindowFunctionTest.test_window_range`},
}

// report is what pytest writes.
type report struct {
	Cases []struct {
		Class   string  `xml:"classname,attr"`
		Name    string  `xml:"name,attr"`
		Failure *reason `xml:"failure"`
		Error   *reason `xml:"error"`
		Skipped *reason `xml:"skipped"`
	} `xml:"testsuite>testcase"`
}

type reason struct {
	Message string `xml:"message,attr"`
}

// TestSQLAlchemySuite runs the suite that SQLAlchemy has for dialects and their databases. What
// PostgreSQL passes with the same requirements passes here, or is known to fail.
func TestSQLAlchemySuite(t *testing.T) {
	t.Parallel()
	if out, err := shell(t.Context(), nil, pythonHas("sqlalchemy, psycopg, pytest")+` && command -v psql`); err != nil {
		testenv.Require(t, "drivers", fmt.Errorf("no SQLAlchemy with pytest: %w %s", err, out))
	}
	ctx, cancel := context.WithTimeout(t.Context(), suiteLimit)
	defer cancel()
	file := filepath.Join(t.TempDir(), "report.xml")
	if out, err := shell(ctx, append(environment(serve(t)), "REPORT="+file), suiteCommand); err != nil {
		t.Fatalf("the suite: %v\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := xml.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	passed, failed := 0, map[string]bool{}
	for _, c := range r.Cases {
		class, _, _ := strings.Cut(c.Class[strings.LastIndexByte(c.Class, '.')+1:], "_postgresql")
		name := class + "." + c.Name
		why := c.Failure
		if why == nil {
			why = c.Error
		}
		known, isKnown := suiteKnown[name]
		if !isKnown {
			if known, isKnown = suiteKnown[class]; isKnown {
				name = class
			}
		}
		switch {
		case why != nil && !isKnown:
			t.Errorf("%s: %s", name, why.Message)
		case why != nil && !strings.Contains(why.Message, known.detail):
			t.Errorf("%s: got %s\nwant a failure with %q, because %s", name, why.Message, known.detail, known.reason)
		case why == nil && c.Skipped == nil:
			passed++
		}
		failed[name] = failed[name] || why != nil
	}
	for name, known := range suiteKnown {
		if !failed[name] {
			t.Errorf("%s: does not fail, but is known to: %s", name, known.reason)
		}
	}
	if passed < suiteMinimum {
		t.Errorf("%d tests passed, want at least %d", passed, suiteMinimum)
	}
	t.Logf("%d tests passed", passed)
}
