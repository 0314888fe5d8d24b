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
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is the path of the binary under test, made by TestMain.
var program string

func TestMain(m *testing.M) {
	code, err := built(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests/crash:", err)
		code = 1
	}
	os.Exit(code)
}

func built(run func() int) (int, error) {
	tmp, err := os.MkdirTemp("", "ontosql-crash-bin-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(tmp)
	program = filepath.Join(tmp, "ontosql")
	build := exec.Command("go", "build", "-o", program, "../../cmd/ontosql")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build: %w\n%s", err, out)
	}
	return run(), nil
}
