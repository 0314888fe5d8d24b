// Package crash kills the program, kill -9, at random and at chosen moments of
// its work under load, and holds what clients were told against what the store
// has afterwards: no acknowledged commit is lost (I9), none is half there (I10),
// and the next server needs no hand. Gentler ends are here too: SIGTERM under
// load, a rival that goes on, clients that leave before their answer.
//
// It talks to the real binary as its users do and knows the protocol only to
// say into which moment of a commit a kill fell.
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
