//go:build mirrormode

package mirror

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/ontosql/ontosql"
)

// mode is the value of ONTOSQL_TEST_MIRROR, in a program or test built with the tag
// mirrormode. It gives tests that are not about the mirror a mirror in a known state:
//
//	on    every type that is read has tables, up to the head
//	half  as on, but the tables end at half of the history
//	off   there are no tables
//
// It says the same of the tables of the row store.
var mode = os.Getenv("ONTOSQL_TEST_MIRROR")

// MinReads is how often a type is read before a copy of it is made.
var MinReads = func() int {
	switch mode {
	case "on", "half":
		return 1
	case "off":
		return math.MaxInt
	}
	panic(fmt.Sprintf("ONTOSQL_TEST_MIRROR is %q, want on, half or off", mode))
}()

// half is the first half of a history.
type half struct{ History }

func (h half) Head() ontosql.CommitID { return h.History.Head() / 2 }

// TargetHistory returns the history that the copies of types follow, for that of the newest pin.
func TargetHistory(h History) History {
	if mode == "half" {
		return half{h}
	}
	return h
}

// waitForTables waits until the type has tables up to the head known at the call. Under a
// steady stream of commits the newest head would never be reached.
func (m *Mirror) waitForTables(e *entry) {
	if m.newest == nil {
		return
	}
	head := m.newest.Head()
	for until := time.Now().Add(time.Minute); e.workerRunning && (e.tables == nil || e.tables.through < head); {
		m.mu.Unlock()
		time.Sleep(100 * time.Microsecond) // workers do not signal their end
		m.mu.Lock()
		if time.Now().After(until) {
			panic(fmt.Sprintf("mirror of %s did not finish %s", e.ref, e.currentTask))
		}
	}
}
