package histories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/writepath"
)

// leave ends the processes, some as an operator does and some as a power cut.
func (s *scene) leave(t *testing.T) {
	t.Helper()
	type closer interface{ close() error }
	end := func(p *participant, c closer) {
		if s.random.IntN(2) == 0 {
			p.process().kill()
		} else if err := c.close(); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
	for _, g := range s.gateways {
		end(&g.participant, g)
	}
	for _, w := range s.writers {
		end(&w.participant, w)
	}
	if s.place.proxy != nil {
		s.place.proxy.clear()
	}
}

// goOn commits with a fresh writer, which must need no hand: at most it waits
// until the lease of a dead one is over.
func (s *scene) goOn(t *testing.T) {
	t.Helper()
	o := s.record.begin(0, "successor", "go on", []row{{identity: identity{events, "the end"}}})
	c := writepath.Open(writepath.Options{
		Bucket: s.place.bucket, RuntimeID: "successor", LockTimeout: testenv.Patience,
	})
	o.Pin = s.newest.Load()
	out, err := c.Commit(t.Context(), transaction(o.Pin, o.Tag, o.Rows))
	if err != nil {
		s.record.end(o, failed, err)
		t.Errorf("a fresh writer after the history: %v", err)
	} else {
		o.Commit, o.Attempt = int64(out.Commit), out.Attempt
		s.record.end(o, committed, nil)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("close the fresh writer: %v", err)
	}
}

// verify holds the store at rest against every rule of the format.
func (s *scene) verify(t *testing.T) {
	t.Helper()
	report, err := maintain.Verify(t.Context(), s.place.bucket)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		t.Errorf("verify: %v", err)
	}
	logs, _ := filepath.Glob(filepath.Join(s.home, "*.log"))
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Error(err)
		}
		for _, never := range []string{"panic", "goroutine ", "DATA RACE", "statement failed for no known reason"} {
			if strings.Contains(string(text), never) {
				t.Errorf("%q stands in %s", never, log)
			}
		}
	}
}
