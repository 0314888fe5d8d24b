package process_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/worker/process"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
)

func delivery() *eventbus.Delivery {
	return &eventbus.Delivery{
		Event: format.Event{ID: "e1", Namespace: "n", Type: "order.placed", Payload: []byte(`{"a":1}`), CreatedAt: format.TimeOf(time.Unix(0, 0)), RootEventID: "e1"},
		Lease: eventbus.Lease{Handler: "h"}, Attempts: 2,
	}
}

// run handles an event by a shell script.
func run(ctx context.Context, emit bool, script string) (follow []eventbus.New, stdout, stderr string, err error) {
	var out, said bytes.Buffer
	h := process.New(process.Options{Path: "/bin/sh", Args: []string{"-c", script}, Stdout: &out, Stderr: &said, Emit: emit})
	follow, err = h.Handle(ctx, delivery())
	return follow, out.String(), said.String(), err
}

func TestProgram(t *testing.T) {
	_, out, said, err := run(t.Context(), false, `cat; echo "$EVENT_ID $EVENT_TYPE $EVENT_NAMESPACE $EVENT_ATTEMPTS"; echo to the log >&2`)
	const want = `{"attempts":2,"chain_depth":0,"created_at":"1970-01-01T00:00:00.000000+00:00","handler_id":"h","id":"e1","namespace":"n","payload":{"a":1},"priority":0,"root_event_id":"e1","type":"order.placed"}` +
		"\ne1 order.placed n 2\n"
	if err != nil || out != want || said != "to the log\n" {
		t.Errorf("%v, stdout %s, stderr %s", err, out, said)
	}
	for script, want := range map[string]string{
		"exit 3": "exit status 3", "echo first >&2; echo '  last  ' >&2; echo >&2; exit 1": "last", "kill -9 $$": "signal: killed",
		"yes x | head -c 100000 >&2; printf end >&2; exit 1": "end",
	} {
		_, _, _, err := run(t.Context(), false, script)
		var failed *process.FailedError
		if !errors.As(err, &failed) || err.Error() != want {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
	}
	// It need not read its input, and may leave a process behind that has its output.
	if _, _, _, err := run(t.Context(), true, "exec <&-; sleep 600 & echo $! > /dev/null"); err != nil {
		t.Errorf("with a process left behind: %v", err)
	}
}

func TestEmit(t *testing.T) {
	follow, out, _, err := run(t.Context(), true, `echo '{"type": "a", "payload": {"x": [1]}, "priority": 5}'; echo; echo '{"type":"b"}'`)
	if err != nil || out != "" || len(follow) != 2 || follow[0].Type != "a" || string(follow[0].Payload) != `{"x": [1]}` || *follow[0].Priority != 5 ||
		follow[1].Type != "b" || string(follow[1].Payload) != "{}" || follow[1].Priority != nil {
		t.Errorf("%+v, %s, %v", follow, out, err)
	}
	if follow, _, _, err := run(t.Context(), true, `echo '{"type":"b"}'; exit 1`); err == nil || follow != nil {
		t.Errorf("of a program that failed: %+v, %v", follow, err)
	}
	for _, line := range []string{"hello", "[]", "{}", `{"type":""}`, `{"type":1}`, `{"type":"a","payload":{}} x`, `{"type":"a","what":1}`, `{"type":"a"}{"type":"b"}`} {
		if _, err := process.ParseLine([]byte(line)); err == nil {
			t.Errorf("%s was read", line)
		}
	}
	if _, _, _, err := run(t.Context(), true, `echo '{"type":"a"}'; echo no`); err == nil || !strings.Contains(err.Error(), "line 2 of") {
		t.Errorf("a line that is no event: %v", err)
	}
}

// TestStopped: when the context ends, the program and what it has started end.
func TestStopped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "alive")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, _, err := run(ctx, false, `sh -c 'trap "" TERM; while :; do echo x >> `+file+`; sleep 0.05; done' & echo x >> `+file+`; wait`)
		ended <- err
	}()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if info, err := os.Stat(file); err == nil && info.Size() > 8 {
			break
		}
		if time.Since(began) > testenv.Patience {
			t.Fatal("the program did not start")
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	info, _ := os.Stat(file)
	time.Sleep(300 * time.Millisecond)
	if later, _ := os.Stat(file); later.Size() != info.Size() {
		t.Error("what the program has started goes on")
	}
}
