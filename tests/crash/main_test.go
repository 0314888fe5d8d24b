// Package crash kills the program with SIGKILL, at random and at chosen moments of its work
// under load, and compares the answers that clients received with the content of the store: no
// acknowledged commit is lost (I9), none is half visible (I10), and the next server starts
// without repair by hand. It also tests SIGTERM under load, a second server that continues, and
// clients that disconnect before their answer.
//
// The tests use the real binary over its public interfaces. They use the protocol only to find
// out at which step of a commit a kill happened.
package crash

import (
	"os"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// program is the path of the binary under test, made by TestMain.
var program string

func TestMain(m *testing.M) {
	os.Exit(testenv.Main("tests/crash", func(built, _ string) (int, error) {
		program = built
		return m.Run(), nil
	}))
}
