// Package drivers shows the gateway to the clients that people use, each in its
// own language and with its own library. A client's program does the same cases as
// every other's, as far as the library has them, over TLS with SCRAM, and prints one
// line of JSON for each. What they found is docs/clients.md:
//
//	make drivers                       # installs the clients below .tools
//	go test ./tests/drivers -rewrite   # writes the page anew
//
// A client that is not installed is skipped, and fails the test where
// ONTOSQL_TEST_REQUIRE names "drivers".
package drivers

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

var rewrite = flag.Bool("rewrite", false, "write docs/clients.md anew")

// What TestMain makes for all clients.
var (
	program string // the program
	shop    store  // what is served; each client has a copy
	secrets keys   // how clients get in
	tools   string // where the clients are installed
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testenv.Main("tests/drivers", func(built, tmp string) (int, error) {
		var err error
		program = built
		if tools, err = filepath.Abs("../../.tools/drivers"); err != nil {
			return 1, err
		}
		if secrets, err = makeKeys(tmp); err != nil {
			return 1, err
		}
		if shop, err = fill(filepath.Join(tmp, "store")); err != nil {
			return 1, err
		}
		return m.Run(), nil
	}))
}
