// Package testenv finds or starts the services that tests talk to: an S3
// server, an emulator of DynamoDB, a private PostgreSQL, psql. It is for tests and benchmarks and knows
// no other room.
//
// A service that is missing skips the test at home and fails it where the
// environment variable ONTOSQL_TEST_REQUIRE names it (comma separated: s3,
// dynamodb, postgres, psql, drivers). Servers listen on loopback only,
// but for the emulator of DynamoDB, which can only listen on all addresses. They are shared by the
// tests of one process, and end with that process, however it ends.
package testenv

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Patience is how long a test waits for what must come. It is far longer than a slow and busy
// machine takes, because only a test that fails waits so long.
const Patience = 2 * time.Minute

// requireVar names the services that must be there.
const requireVar = "ONTOSQL_TEST_REQUIRE"

// Require ends the test when err says that service is missing: it skips, or it
// fails where ONTOSQL_TEST_REQUIRE names the service. It does nothing when err
// is nil.
func Require(t testing.TB, service string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if required(service, os.Getenv(requireVar)) {
		t.Fatalf("%s is required by %s and missing: %v", service, requireVar, err)
	}
	t.Skipf("%s is missing: %v (set %s=%s to make this a failure)", service, err, requireVar, service)
}

func required(service, list string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(s string) bool {
		return strings.TrimSpace(s) == service
	})
}

// Psql is the path of psql.
func Psql(t testing.TB) string {
	t.Helper()
	path, err := find("psql", postgresDir)
	Require(t, "psql", err)
	return path
}

// find looks for a program in the given folders and then in $PATH.
func find(name string, dirs ...string) (string, error) {
	for _, dir := range dirs {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no %s in %s", name, strings.Join(append(dirs, "$PATH"), ", "))
	}
	return path, nil
}

// tools is where the Makefile installs the servers: .tools/bin of the module
// that the working directory is in.
func tools() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".tools", "bin")
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// freePort is a loopback port that is free at the moment. Another program may take it before
// the server does; starters try again.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}
