package testenv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childVar makes the test binary play a test process that is killed.
const childVar = "ONTOSQL_TESTENV_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "" {
		os.Exit(m.Run())
	}
	s, err := StartS3(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s\n%s\n", s.Endpoint, s.Buckets)
	select {}
}

// TestServerEndsWithTheProcess kills a process that started a server.
func TestServerEndsWithTheProcess(t *testing.T) {
	S3(t) // or the test is not for this machine
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var endpoint, buckets string
	if _, err := fmt.Fscanln(out, &endpoint); err != nil {
		t.Fatalf("read endpoint: %v", err)
	}
	if _, err := fmt.Fscanln(out, &buckets); err != nil {
		t.Fatalf("read folder: %v", err)
	}
	if err := healthy(endpoint + "/health"); err != nil {
		t.Fatalf("server of the other process: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	for deadline := time.Now().Add(Patience); ; time.Sleep(10 * time.Millisecond) {
		serverErr := healthy(endpoint + "/health")
		_, dirErr := os.Stat(buckets)
		if serverErr != nil && errors.Is(dirErr, fs.ErrNotExist) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s after its process was killed: server %v, folder %v; want both gone", Patience, serverErr, dirErr)
		}
	}
}

func TestServerThatDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	_, err := start(t.Context(), dir, "KILL", nil, nil, []string{"sh", "-c", "echo no such option; exit 3"},
		func() error { return errors.New("not ready") })
	if err == nil || !strings.Contains(err.Error(), "no such option") {
		t.Errorf("start of a program that ends at once: got %v, want an error with what it printed", err)
	}
}

func TestRequired(t *testing.T) {
	for _, tc := range []struct {
		service, list string
		want          bool
	}{
		{"s3", "", false},
		{"s3", "s3", true},
		{"psql", "s3, postgres ,psql", true},
		{"postgres", "s3,psql", false},
		{"s", "s3", false},
	} {
		if got := required(tc.service, tc.list); got != tc.want {
			t.Errorf("%s=%q: %s required: got %v, want %v", requireVar, tc.list, tc.service, got, tc.want)
		}
	}
}

func TestPostgresAnswers(t *testing.T) {
	dsn, psql := Postgres(t), Psql(t)
	out, err := exec.Command(psql, "-XAt", dsn, "-c", "SHOW server_version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), postgresMajor+".") {
		t.Fatalf("psql %s: got %q, %v; want version %s", dsn, out, err, postgresMajor)
	}
	if again := Postgres(t); again != dsn {
		t.Errorf("second call: got %s, want the shared server %s", again, dsn)
	}
}

func TestS3Answers(t *testing.T) {
	a, b := S3(t), S3(t)
	if a.Bucket == b.Bucket || a.Endpoint != b.Endpoint {
		t.Errorf("two calls: got %+v and %+v, want one server and two buckets", a, b)
	}
	for _, endpoint := range []string{a.Endpoint, S3ReadOnly(t)} {
		resp, err := http.Get(endpoint + "/" + a.Bucket)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s without credentials: got %s, want 403", endpoint, resp.Status)
		}
	}
}

func TestDynamoDB(t *testing.T) {
	DynamoDB(t) // or the test is not for this machine
	s, err := StartDynamoDB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if err := answers(s.Endpoint); err == nil {
		t.Error("the emulator answers after it was stopped")
	}
}
