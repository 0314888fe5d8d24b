// Package eventbustest is the contract test suite of package eventbus. Every kind of store must pass
// it: each sentence of the contract is a test.
package eventbustest

import (
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
)

// Open opens a store once more, for another worker. The Bus ends with the test.
type Open func(now func() time.Time, damaged func(error)) eventbus.Bus

// Run runs all tests. fresh returns a way to open a new empty store at each call.
func Run(t *testing.T, fresh func(t *testing.T) Open) {
	for _, test := range []struct {
		name string
		run  func(w *world)
	}{
		{"an event has defaults", testDefaults},
		{"a derived event has its parent's root", testDerived},
		{"a chain ends after twenty steps", testDepth},
		{"a payload is an object", testPayload},
		{"names that no store keeps", testNames},
		{"handlers of all names", testHandlers},
		{"order of delivery", testOrder},
		{"limit and types", testLimit},
		{"each handler gets each event", testHandlersApart},
		{"what is free", testFree},
		{"a claim that ended is made again", testReclaim},
		{"acknowledge", testAck},
		{"release and backoff", testRelease},
		{"dead letter", testDeadLetter},
		{"dead after another number of attempts", testFail},
		{"prepared events", testPut},
		{"extend", testExtend},
		{"a lease of somebody else", testForeignLease},
		{"sessions", testSessions},
		{"replay", testReplay},
		{"inspect", testInspect},
		{"status", testStatus},
		{"list", testList},
		{"cleanup", testCleanup},
		{"what is cleaned up is not delivered", testCleanupDelivery},
		{"namespaces that begin alike", testNamespaces},
		{"counts", testCounts},
		{"follow", testFollow},
		{"senders whose clocks differ", testClocks},
		{"race: each event once", testRace},
		{"race: retries", testRaceRetries},
		{"ended context", testEndedContext},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{T: t, clock: &Clock{at: start}}
			w.open = fresh(t)
			w.bus = w.worker()
			test.run(w)
			for _, err := range w.findings {
				t.Errorf("reported as damaged: %v", err)
			}
		})
	}
}

// start is when the tests begin.
var start = time.Date(2026, 2, 11, 12, 0, 0, 123456000, time.UTC)

// Clock is a clock that stands still.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock that shows a time.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
