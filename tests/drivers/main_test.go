// Package drivers runs the gateway with commonly used clients, each in its own language
// and with its own library. The programs of all clients run the same cases, as far as the
// library supports them, over TLS with SCRAM, and print one line of JSON for each case.
// docs/clients.md holds the results:
//
//	make drivers                       # installs the clients below .tools
//	go test ./tests/drivers -rewrite   # rewrites the page
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

// Made by TestMain for all clients.
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
