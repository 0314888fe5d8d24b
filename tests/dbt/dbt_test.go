// Package dbt runs dbt-core with dbt-postgres against the gateway: the project examples/dbt as
// it is, and the project testdata/features, which has every materialization and strategy. The
// versions are those of requirements.txt; make drivers installs them. The test is skipped where
// they are not installed, and fails where ONTOSQL_TEST_REQUIRE names "drivers".
package dbt

import (
	"bufio"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

var program string

func TestMain(m *testing.M) {
	os.Exit(testenv.Main("tests/dbt", func(built, _ string) (int, error) {
		program = built
		return m.Run(), nil
	}))
}

func TestDbt(t *testing.T) {
	python, err := filepath.Abs("../../.tools/drivers/dbt/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		testenv.Require(t, "drivers", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // it takes one on an idle machine
	defer cancel()
	address := serve(t)
	cmd := exec.CommandContext(ctx, python, "run.py", "../../examples/dbt", "testdata/features", t.TempDir())
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "DBT_SEND_ANONYMOUS_USAGE_STATS=false",
		"ONTOSQL_HOST="+address.Hostname(), "ONTOSQL_PORT="+address.Port(),
		"GATEWAY_HOST="+address.Hostname(), "GATEWAY_PORT="+address.Port(), "GATEWAY_USER=onto", "GATEWAY_DATABASE=onto")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// serve serves the demo to the end of the test.
func serve(t *testing.T) *url.URL {
	t.Helper()
	dir := t.TempDir()
	gateway := exec.Command(program, "demo", "--dir", filepath.Join(dir, "store"), "--cache-dir", filepath.Join(dir, "cache"),
		"--workspace-dir", filepath.Join(dir, "workspace"), "--listen", "127.0.0.1:0")
	gateway.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	gateway.Stderr = os.Stderr
	out, err := gateway.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = gateway.Process.Signal(syscall.SIGTERM)
		if err := gateway.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			address, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for lines.Scan() { // what else it prints
				}
			}()
			return address
		}
	}
	t.Fatal("the gateway does not say that it is ready")
	return nil
}
