package histories

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// The bounded form: so many seeds, and how long clients ask in each. The long
// form has histories of up to four times that length.
const (
	seeds  = 6
	length = 5 * time.Second
)

func longer(seed uint64) time.Duration { return length * time.Duration(1+seed%4) }

// TestHistories is the proof of docs/consistency.md.
func TestHistories(t *testing.T) {
	var total figures
	defer func() { t.Log(total.String() + total.table()) }()
	try := func(seed uint64, length time.Duration) bool {
		return t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { total.add(happen(t, seed, length)) })
	}
	if text := os.Getenv("ONTOSQL_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		try(seed, longer(seed))
		return
	}
	text := os.Getenv("ONTOSQL_TORTURE")
	if text == "" {
		for seed := range uint64(seeds) {
			try(seed, length)
		}
		return
	}
	long, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	began, first := time.Now(), uint64(time.Now().Unix())
	for seed := first; time.Since(began) < long; seed++ {
		if !try(seed, longer(seed)) {
			return
		}
		t.Logf("%s: %s", time.Since(began).Round(time.Second), &total)
	}
}

// happen is one history from its founding to the verdict.
func happen(t *testing.T, seed uint64, length time.Duration) figures {
	s := build(t, seed)
	began := time.Now()
	n := s.play(t, length)
	s.leave(t)
	s.goOn(t)
	s.verify(t)
	chain := newReplay(s.place.bucket)
	if _, err := chain.follow(t.Context()); err != nil {
		t.Errorf("read the chain at the end: %v", err)
	}
	h := &history{ops: s.record.finished(), chain: chain, opened: s.opened}
	v := h.judge(s.home)
	for _, found := range v.violations {
		t.Error(found)
	}
	f := figuresOf(h, n, v)
	if t.Failed() {
		h.keep(t, s.home)
		t.Errorf("seed %d; logs, operations and drawings are in %s; again: ONTOSQL_SEED=%d go test -count=1 -run TestHistories ./tests/histories", seed, s.home, seed)
	}
	t.Logf("%s, %s: %s", s.place.bucket, time.Since(began).Round(time.Millisecond), &f)
	return f
}

// keep leaves the operations and the chain for who wants to know more.
func (h *history) keep(t *testing.T, dir string) {
	for name, what := range map[string]any{"operations.json": h.ops, "chain.json": h.chain.chain} {
		body, err := json.MarshalIndent(what, "", " ")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), body, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
