// Package faults hands the program everything that a hostile or unlucky world
// can: broken stores, dead and hanging servers, full disks, wrong credentials,
// malformed messages, wrong flags. Each test runs the real binary in processes
// of its own and says what a client or an operator must be told.
package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/dir"
)

// What TestMain makes for all tests.
var (
	program string // the program
	demoDir string // a demo store, which is never written to
)

func TestMain(m *testing.M) {
	os.Exit(testenv.Main("tests/faults", func(built, tmp string) (int, error) {
		program, demoDir = built, filepath.Join(tmp, "demo")
		return prepared(m.Run)
	}))
}

func prepared(run func() int) (int, error) {
	if err := os.Mkdir(demoDir, 0o755); err != nil {
		return 1, err
	}
	b, err := dir.Open(demoDir, dir.Options{})
	if err != nil {
		return 1, err
	}
	if err := demo.Fill(context.Background(), b, nil); err != nil {
		return 1, fmt.Errorf("fill the demo: %w", err)
	}
	return run(), nil
}
