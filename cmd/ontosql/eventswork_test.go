package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus/worker/webhook"
	"github.com/ontosql/ontosql/internal/testenv"
)

// eachStore runs a test over a new ontology in a directory and one in a SQLite file.
func eachStore(t *testing.T, test func(t *testing.T, flags []string)) {
	for _, name := range []string{"onto", "onto.db"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			flags := []string{"--storage-uri", filepath.Join(t.TempDir(), name)}
			if code, _, problem := command(t, withFlags("init", flags...)...); code != exitOK {
				t.Fatalf("init: exit %d, %s", code, problem)
			}
			test(t, flags)
		})
	}
}

// working is a worker within the test.
type working struct {
	stop     context.CancelFunc
	ended    chan int
	out, log testenv.Output
}

func startWorker(t *testing.T, flags []string, args ...string) *working {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &working{stop: cancel, ended: make(chan int, 1)}
	args = append(append([]string{"events", "work", "--poll", "100ms"}, flags...), args...) // which may end in --
	go func() { w.ended <- run(ctx, args, strings.NewReader(""), &w.out, &w.log) }()
	return w
}

// end stops the worker, which must say that all is well.
func (w *working) end(t *testing.T) {
	t.Helper()
	w.stop()
	if code := <-w.ended; code != exitOK {
		t.Errorf("the worker ended with exit code %d: %s", code, &w.log)
	}
}

func enqueue(t *testing.T, flags []string, typ, payload string) string {
	t.Helper()
	code, out, problem := command(t, append([]string{"events", "enqueue", "--json", "--type", typ, "--payload", payload}, flags...)...)
	if code != exitOK {
		t.Fatalf("enqueue: exit %d, %s", code, problem)
	}
	return decoded[sentEvent](t, out).ID
}

// shownEvents are the events as show prints them.
func shownEvents(t *testing.T, flags []string) []shownEvent {
	t.Helper()
	code, out, problem := command(t, withFlags("events show --namespace default --limit 100000 --json", flags...)...)
	if code != exitOK {
		t.Fatalf("show: exit %d, %s", code, problem)
	}
	return decoded[[]shownEvent](t, out)
}

// until waits for events of a type and status.
func until(t *testing.T, flags []string, typ, status string, want int, w *working) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		found := 0
		all := shownEvents(t, flags)
		for _, e := range all {
			if e.Type == typ && e.Status == status {
				found++
			}
		}
		if found == want {
			return
		}
		if time.Since(began) > testenv.Patience || w != nil && len(w.ended) > 0 {
			said := ""
			if w != nil {
				said = w.log.String()
			}
			t.Fatalf("%d events %s are %s, want %d: %+v\n%s", found, typ, status, want, all, said)
		}
	}
}

// TestWorkProgram: a program gets each event, its output follows, and its failures are kept.
func TestWorkProgram(t *testing.T) {
	eachStore(t, func(t *testing.T, flags []string) {
		path := script(t, "react.sh", `#!/bin/sh
read -r event
case $event in *bad*) echo "cannot do $1" >&2; exit 1;; esac
echo "{\"type\": \"order.seen\", \"payload\": $event}"
`)
		enqueue(t, flags, "order.placed", `{"order_no": "o1"}`)
		bad := enqueue(t, flags, "order.placed", `{"order_no": "bad"}`)
		w := startWorker(t, flags, "--handler", "h", "--on", "order.placed", "--exec", path, "--emit", "--max-attempts", "2", "--concurrency", "2", "--", "that")
		until(t, flags, "order.placed", "dead_lettered", 1, w)
		until(t, flags, "order.seen", "pending", 1, w)
		w.end(t)
		_, out, _ := command(t, withFlags("events dead-letters --namespace default --json", flags...)...)
		if letters := decoded[[]shownLetter](t, out); len(letters) != 1 || letters[0].EventID != bad || letters[0].LastError != "cannot do that" || letters[0].Attempts != 2 {
			t.Errorf("dead letters: %s", out)
		}
		_, out, _ = command(t, withFlags("events sessions --namespace default --json", flags...)...)
		if sessions := decoded[[]shownSession](t, out); len(sessions) != 1 || sessions[0].IsDead || !strings.Contains(string(sessions[0].Metadata), `"handler_id": "h"`) {
			t.Errorf("sessions: %s", out)
		}
		for _, e := range shownEvents(t, flags) {
			if e.Type == "order.seen" && decoded[struct {
				Payload struct {
					Order string `json:"order_no"`
				}
			}](t, string(e.Payload)).Payload.Order != "o1" {
				t.Errorf("what follows: %s", e.Payload)
			}
		}
	})
}

// TestWorkSQL: the statements of a file are one transaction with the event as parameters.
func TestWorkSQL(t *testing.T) {
	eachStore(t, func(t *testing.T, flags []string) {
		sqlOK(t, flags, "CREATE TABLE orders (order_no text PRIMARY KEY, event text, kind text)")
		path := script(t, "take.sql", `
-- Both rows, or none.
INSERT INTO orders (order_no, event, kind) VALUES ($1->>'order_no', $3::text, $2);
INSERT INTO orders (order_no, kind) VALUES (($1->>'order_no') || '-' || (10 / ($1->>'parts')::int)::text, 'part');
`)
		id := enqueue(t, flags, "order.placed", `{"order_no": "o1", "parts": 5}`)
		enqueue(t, flags, "order.placed", `{"order_no": "o2", "parts": 0}`)
		w := startWorker(t, flags, "--handler", "sql", "--on", "order.placed", "--sql", path, "--max-attempts", "1", "--concurrency", "2")
		until(t, flags, "order.placed", "acked", 1, w)
		until(t, flags, "order.placed", "dead_lettered", 1, w)
		for i := range 10 {
			enqueue(t, flags, "order.placed", fmt.Sprintf(`{"order_no": "p%d", "parts": 1}`, i))
		}
		until(t, flags, "order.placed", "acked", 11, w)
		w.end(t)
		if got := sqlOK(t, flags, "SELECT order_no, event, kind FROM orders WHERE order_no LIKE 'o%' ORDER BY 1"); got != "order_no,event,kind\no1,"+id+",order.placed\no1-2,,part\n" {
			t.Errorf("rows: %s", got)
		}
		if got := sqlOK(t, flags, "SELECT count(*) AS n FROM orders"); got != "n\n22\n" {
			t.Errorf("rows: %s", got)
		}
		_, out, _ := command(t, withFlags("events dead-letters --namespace default --json", flags...)...)
		if letters := decoded[[]shownLetter](t, out); len(letters) != 1 || !strings.Contains(letters[0].LastError, "division by zero") {
			t.Errorf("dead letters: %s", out)
		}
	})
}

// TestWorkWebhook: a webhook gets each event until it says that it has it.
func TestWorkWebhook(t *testing.T) {
	eachStore(t, func(t *testing.T, flags []string) {
		var mu sync.Mutex
		var got []string
		release := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			got = append(got, string(body))
			n := len(got)
			mu.Unlock()
			if r.Header.Get(webhook.SignatureHeader) != webhook.Sign([]byte("s3cret"), body) {
				t.Errorf("signature %v", r.Header)
			}
			switch n {
			case 1:
				w.WriteHeader(500)
			case 2:
				<-release // it hangs
			case 3:
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
			}
		}))
		defer server.Close()
		defer close(release)
		enqueue(t, flags, "t", `{"a": 1}`)
		w := startWorker(t, flags, "--handler", "h", "--on", "t", "--webhook", server.URL, "--webhook-timeout", "200ms", "--webhook-secret-file", script(t, "secret", "s3cret\n"))
		until(t, flags, "t", "acked", 1, w)
		w.end(t)
		if len(got) != 4 || !strings.Contains(got[3], `"attempts":3`) {
			t.Errorf("it got %q", got)
		}
	})
}

// TestWorkLoop: a handler whose events cause themselves is ended by a dead letter at depth 20.
func TestWorkLoop(t *testing.T) {
	eachStore(t, func(t *testing.T, flags []string) {
		enqueue(t, flags, "t", "{}")
		w := startWorker(t, flags, "--handler", "h", "--on", "t", "--emit", "--exec", script(t, "again.sh", "#!/bin/sh\necho '{\"type\": \"t\"}'\n"))
		until(t, flags, "t", "dead_lettered", 1, w)
		w.end(t)
		if all := shownEvents(t, flags); len(all) != 22 {
			t.Errorf("%d events, want 21 and that of the dead letter", len(all))
		}
	})
}

// TestWorkKilled kills three workers again and again, as the machine would: every event is
// acknowledged at the end, and was handled at least once.
func TestWorkKilled(t *testing.T) {
	eachStore(t, func(t *testing.T, flags []string) {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		done := filepath.Join(t.TempDir(), "done")
		handler := script(t, "slow.sh", "#!/bin/sh\nsleep 0.05\necho \"$EVENT_ID\" >> "+done+"\n")
		args := append([]string{"events", "work", "--poll", "100ms", "--lease", "1s", "--handler", "h", "--on", "t", "--exec", handler, "--concurrency", "2"}, flags...)
		start := func() *exec.Cmd {
			cmd := exec.CommandContext(t.Context(), program, args...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			cmd.Stderr = new(testenv.Output)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			return cmd
		}
		workers := []*exec.Cmd{start(), start(), start()}
		var ids []string
		for range 12 {
			for range 3 {
				ids = append(ids, enqueue(t, flags, "t", "{}"))
			}
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
			victim := random.IntN(len(workers))
			_ = workers[victim].Process.Kill()
			_ = workers[victim].Wait()
			workers[victim] = start()
		}
		until(t, flags, "t", "acked", len(ids), nil)
		for _, w := range workers {
			log := w.Stderr.(*testenv.Output)
			for began := time.Now(); !strings.Contains(log.String(), "worker started") && time.Since(began) < testenv.Patience; {
				time.Sleep(20 * time.Millisecond) // before that it does not hear of signals
			}
			_ = w.Process.Signal(os.Interrupt)
			if err := w.Wait(); err != nil {
				t.Errorf("a worker that was interrupted: %v\n%s", err, log)
			}
		}
		text, _ := os.ReadFile(done)
		for _, id := range ids {
			if !strings.Contains(string(text), id) {
				t.Errorf("event %s is acknowledged and was not handled", id)
			}
		}
		_, out, _ := command(t, withFlags("events dead-letters --namespace default --json", flags...)...)
		if letters := decoded[[]json.RawMessage](t, out); len(letters) > 0 {
			t.Errorf("dead letters: %s", out)
		}
	})
}

// TestCleanupWhileWorking removes events below the hands of workers: none of them ends, and no event is
// handled twice.
func TestCleanupWhileWorking(t *testing.T) {
	eachStore(t, func(t *testing.T, flags []string) {
		done := filepath.Join(t.TempDir(), "done")
		handler := script(t, "note.sh", "#!/bin/sh\necho \"$EVENT_ID\" >> "+done+"\n")
		var workers []*working
		for range 2 {
			workers = append(workers, startWorker(t, flags, "--handler", "h", "--on", "t", "--exec", handler))
		}
		for range 10 {
			enqueue(t, flags, "t", "{}")
			enqueue(t, flags, "t", "{}")
			if code, _, problem := command(t, withFlags("events cleanup --namespace default --before 0m", flags...)...); code != exitOK {
				t.Errorf("cleanup: exit %d, %s", code, problem)
			}
		}
		enqueue(t, flags, "t", "{}")
		until(t, flags, "t", "acked", 1, workers[0])
		for _, w := range workers {
			w.end(t)
		}
		text, _ := os.ReadFile(done)
		times := map[string]int{}
		for _, id := range strings.Fields(string(text)) {
			if times[id]++; times[id] > 1 {
				t.Errorf("%s was handled %d times", id, times[id])
			}
		}
	})
}

// TestTail prints the events of a namespace as they come.
func TestTail(t *testing.T) {
	eachStore(t, func(t *testing.T, flags []string) {
		first := enqueue(t, flags, "t", "{}")
		var out testenv.Output
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() {
			ended <- run(ctx, withFlags("events tail --since 1h --on t --poll 50ms --json", flags...), strings.NewReader(""), &out, io.Discard)
		}()
		want := []string{first}
		for i := range 3 {
			enqueue(t, flags, "other", "{}")
			want = append(want, enqueue(t, flags, "t", fmt.Sprintf(`{"n": %d}`, i)))
		}
		for began := time.Now(); strings.Count(out.String(), "\n") < len(want); time.Sleep(20 * time.Millisecond) {
			if time.Since(began) > testenv.Patience {
				t.Fatalf("printed is only %s", &out)
			}
		}
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("exit %d", code)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		for i, id := range want {
			if got := decoded[wholeEvent](t, lines[i]); got.ID != id || got.Type != "t" {
				t.Errorf("line %d is %s, want %s", i, lines[i], id)
			}
		}
	})
}
