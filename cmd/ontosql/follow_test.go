package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestCopyFollow follows a store, by lines of text and of JSON, until it is stopped; the copy has what
// the source has. A copy that went its own way ends it.
func TestCopyFollow(t *testing.T) {
	path, flags := shopDir(t)
	for _, c := range []struct {
		name, flag, says string
		progress         int // of the first copy
	}{
		{"text", "--follow", "Copied 1 commit and ", 1},
		{"json", "--follow --json", `"commits":1,`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := filepath.Join(t.TempDir(), "copy")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var out, problem testenv.Output
			ended := make(chan int, 1)
			go func() {
				ended <- run(ctx, append([]string{"copy", path, to}, strings.Fields(c.flag)...), strings.NewReader(""), &out, &problem)
			}()
			lines := func(n int) []string {
				t.Helper()
				for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
					if all := strings.Split(out.String(), "\n"); len(all) > n {
						return all[:n]
					}
					if time.Since(began) > testenv.Patience {
						t.Fatalf("it says\n%s%s\nwant %d lines", &out, &problem, n)
					}
				}
			}
			lines(1)
			insert := "INSERT INTO store (code, city, open) VALUES ('follow-" + c.name + "', 'Riga', true)"
			if code, _, problem := command(t, append([]string{"sql", "-c", insert}, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			if second := lines(2)[1]; !strings.Contains(second, c.says) || c.name == "json" && !json.Valid([]byte(second)) {
				t.Errorf("of a new commit it says %s, want %s", second, c.says)
			}
			stop()
			progress := strings.Count(problem.String(), "verifying objects: ")
			if code := <-ended; code != exitOK || progress != c.progress || strings.Contains(problem.String(), "WARNING") {
				t.Errorf("stopped: exit %d, %s", code, &problem)
			}
			count := "SELECT count(*) FROM store WHERE code = 'follow-" + c.name + "'"
			if code, found, problem := command(t, "sql", "--format", "csv", "--storage-uri", to, "-c", count); code != exitOK || found != "count\n1\n" {
				t.Errorf("the copy has %q, %s", found, problem)
			}
			if code, out, problem := command(t, "fsck", "--data", "--storage-uri", to); code != exitOK {
				t.Errorf("fsck: exit %d, %s%s", code, out, problem)
			}
			if code, _, problem := command(t, "sql", "--storage-uri", to, "-c", "INSERT INTO store (code, city, open) VALUES ('own', 'Riga', true)"); code != exitOK {
				t.Fatal(problem)
			}
			code, _, said := command(t, "copy", path, to, "--follow")
			if code != exitExecution || !strings.Contains(said, "another ontology, or commits that the source does not have") || !strings.Contains(said, "somebody has written to the target") {
				t.Errorf("over a copy that went its own way: exit %d, %s", code, said)
			}
		})
	}
	file := filepath.Join(t.TempDir(), "onto.db")
	for _, line := range []string{"copy --follow " + path + " " + file, "copy --follow " + file + " " + path} {
		if code, _, problem := command(t, strings.Fields(line)...); code != exitUsage || !strings.Contains(problem, "onto.db is a SQLite file") {
			t.Errorf("%s: exit %d, %s", line, code, problem)
		}
	}
	if code, _, problem := command(t, "copy", "--follow", t.TempDir(), t.TempDir()); code != exitOpen || !strings.Contains(problem, "not initialised") {
		t.Errorf("of no ontology: exit %d, %s", code, problem)
	}
}

// stammering is an output whose first line is lost.
type stammering struct {
	testenv.Output
	spoken bool
}

func (s *stammering) Write(p []byte) (int, error) {
	if !s.spoken {
		s.spoken = true
		return 0, errors.New("the first line is lost")
	}
	return s.Output.Write(p)
}

// TestCopyFollowSaysNothing: a line that cannot be printed ends no copy, and is an error when the
// command ends, although later lines were printed.
func TestCopyFollowSaysNothing(t *testing.T) {
	path, flags := shopDir(t)
	to := filepath.Join(t.TempDir(), "copy")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out stammering
	var problem testenv.Output
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"copy", path, to, "--follow"}, strings.NewReader(""), &out, &problem)
	}()
	began := time.Now()
	for out.String() == "" {
		if time.Since(began) > testenv.Patience {
			t.Fatalf("it says nothing but %s", &problem)
		}
		if strings.Contains(problem.String(), "verifying objects: ") {
			insert := "INSERT INTO store (code, city, open) VALUES ('said-" + time.Now().Format("150405.000") + "', 'Riga', true)"
			if code, _, problem := command(t, append([]string{"sql", "-c", insert}, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	stop()
	if code := <-ended; code == exitOK || !strings.Contains(problem.String(), "the first line is lost") {
		t.Errorf("exit %d, %s", code, &problem)
	}
}
