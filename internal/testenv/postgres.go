package testenv

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// postgresMajor is the version whose behaviour ontosql promises (A10).
const postgresMajor = "15"

// postgresDir is where Debian puts the programs of that version.
const postgresDir = "/usr/lib/postgresql/" + postgresMajor + "/bin"

// PostgresProgram is the path of a program that comes with PostgreSQL.
func PostgresProgram(name string) (string, error) { return find(name, postgresDir) }

// PostgresServer is a running private PostgreSQL 15: trust authentication on
// loopback, encoding UTF8, locale C, nothing synced to disk.
type PostgresServer struct {
	*server
	DSN string // postgres://postgres@127.0.0.1:PORT/postgres?sslmode=disable
}

// StartPostgres makes a cluster and starts it; the caller stops it. Settings are
// "name=value", and stand above those that are usual here.
func StartPostgres(ctx context.Context, settings ...string) (*PostgresServer, error) {
	initdb, err := find("initdb", postgresDir)
	if err != nil {
		return nil, err
	}
	postgres, err := find("postgres", postgresDir)
	if err != nil {
		return nil, err
	}
	if err := checkMajor(ctx, postgres); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	dir, err := os.MkdirTemp("", "ontosql-pg-")
	if err != nil {
		return nil, err
	}
	s, err := startCluster(ctx, dir, initdb, postgres, settings)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func startCluster(ctx context.Context, dir, initdb, postgres string, settings []string) (*PostgresServer, error) {
	as, err := notRoot()
	if err != nil {
		return nil, err
	}
	if as != nil {
		if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	cmd := exec.CommandContext(ctx, initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	// No socket in the file system: its path may be longer than a socket's may be.
	command := []string{
		postgres, "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
	}
	for _, s := range settings {
		command = append(command, "-c", s)
	}
	// As a client (postgres_fdw) it looks for certificates below its home, and may not look into ours.
	home := []string{"HOME=" + dir}
	s, err := start(ctx, dir, "QUIT", as, home, command, func() error { return accepting(dir, port) })
	if err != nil {
		return nil, err
	}
	return &PostgresServer{
		server: s,
		DSN:    "postgres://postgres@127.0.0.1:" + port + "/postgres?sslmode=disable",
	}, nil
}

// accepting reads the last line of postmaster.pid, which says "ready" when the
// server takes connections (PostgreSQL, "Shutting down", pg_ctl's own test).
func accepting(dir, port string) error {
	pid, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	if !strings.HasSuffix(strings.TrimSpace(string(pid)), "ready") {
		return fmt.Errorf("not ready yet")
	}
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	return c.Close()
}

func checkMajor(ctx context.Context, postgres string) error {
	out, err := exec.CommandContext(ctx, postgres, "--version").Output()
	if err != nil {
		return fmt.Errorf("postgres --version: %w", err)
	}
	version := strings.Fields(strings.TrimPrefix(string(out), "postgres (PostgreSQL) "))
	if len(version) == 0 || !strings.HasPrefix(version[0], postgresMajor+".") {
		return fmt.Errorf("%s is %q, want PostgreSQL %s", postgres, strings.TrimSpace(string(out)), postgresMajor)
	}
	return nil
}

// notRoot is the account for PostgreSQL, which refuses to run as root: nil for the current
// account, else postgres or nobody.
func notRoot() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("running as root without an account for PostgreSQL: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// sharedPostgres is package state for the reason that sharedS3 is.
var sharedPostgres = sync.OnceValues(func() (*PostgresServer, error) { return StartPostgres(context.Background()) })

// Postgres is the DSN of a PostgreSQL 15 that the tests of one process share;
// each makes a schema or database of its own.
func Postgres(t testing.TB) (dsn string) {
	t.Helper()
	s, err := sharedPostgres()
	Require(t, "postgres", err)
	return s.DSN
}
