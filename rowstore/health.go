package rowstore

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// health takes the errors of one key-value store, from whatever goroutine of the library: those of its opening
// are found there, later ones turn the store off, and those behind its end are nobody's.
type health struct {
	store *Store

	mu    sync.Mutex
	open  bool
	ended bool
	first error // while it is opened
}

// failed takes an error. It may be called with the store's mutex held.
func (h *health) failed(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ended:
	case h.open:
		h.ended = true
		go h.store.turnOff(err)
	case h.first == nil:
		h.first = err
	}
}

// opened ends the opening. It returns the first error in it.
func (h *health) opened() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = true
	return h.first
}

// giveUp is called when nobody wants to know of errors any more.
func (h *health) giveUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
}

// logger is the library's. What that tells of its own work is not logged.
type logger struct{ health *health }

func (l logger) Infof(string, ...any) {}

func (l logger) Errorf(format string, args ...any) {
	l.health.mu.Lock()
	defer l.health.mu.Unlock()
	if !l.health.ended {
		line, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n") // a stack may follow
		l.health.store.log.Warn("row store", "error", line)
	}
}

// Fatalf ends the goroutine of the library that cannot go on, where it wants to end the process.
func (l logger) Fatalf(format string, args ...any) {
	l.health.failed(fmt.Errorf(format, args...))
	runtime.Goexit()
}
