package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// mirrorVar says in which state tests meet the mirror: see mirror/thresholds_mode.go.
// Without it the program is built as it is shipped.
const mirrorVar = "ONTOSQL_TEST_MIRROR"

// Main is a TestMain for tests of the program itself: it builds "ontosql" in a temporary
// directory, calls run with the two paths, and returns the exit code. name is the prefix of
// error messages.
func Main(name string, run func(program, dir string) (int, error)) int {
	code, err := withProgram(run)
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		return 1
	}
	return code
}

func withProgram(run func(program, dir string) (int, error)) (int, error) {
	dir, err := os.MkdirTemp("", "ontosql-tests-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	// A program without --workspace-dir must not write below the user's data directory.
	if err := os.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data")); err != nil {
		return 1, err
	}
	program := filepath.Join(dir, "ontosql")
	build := []string{"build", "-o", program}
	if os.Getenv(mirrorVar) != "" {
		build = append(build, "-tags", "mirrormode")
	}
	out, err := exec.Command("go", append(build, "github.com/ontosql/ontosql/cmd/ontosql")...).CombinedOutput()
	if err != nil {
		return 1, fmt.Errorf("build: %w\n%s", err, out)
	}
	return run(program, dir)
}
