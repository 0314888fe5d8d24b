//go:build mirrormode

package mirror

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/ontosql/ontosql"
)

// mode is what ONTOSQL_TEST_MIRROR asks for, in a program or a test that was
// built with the tag mirrormode, so that tests which know nothing of a mirror
// meet it in a known state:
//
//	on    every type that is read has tables, up to the head
//	half  as on, but they go through half of the history only
//	off   there are no tables
var mode = os.Getenv("ONTOSQL_TEST_MIRROR")

var minReads = func() int {
	switch mode {
	case "on", "half":
		return 1
	case "off":
		return math.MaxInt
	}
	panic(fmt.Sprintf("ONTOSQL_TEST_MIRROR is %q, want on, half or off", mode))
}()

const minFiles, minRows = 1, 1

// half is a history that goes through half of its commits.
type half struct{ History }

func (h half) Head() ontosql.CommitID { return h.History.Head() / 2 }

func targetHistory(h History) History {
	if mode == "half" {
		return half{h}
	}
	return h
}

// waitForTables waits until the type has the tables that it is to have at the head that
// is known now: under a steady stream of commits there is always a newer one.
func (m *Mirror) waitForTables(e *entry) {
	if m.newest == nil {
		return
	}
	head := m.newest.Head()
	for until := time.Now().Add(time.Minute); e.workerRunning && (e.tables == nil || e.tables.through < head); {
		m.mu.Unlock()
		time.Sleep(100 * time.Microsecond) // workers tell nobody when they have done
		m.mu.Lock()
		if time.Now().After(until) {
			panic(fmt.Sprintf("mirror of %s is not done with %s", e.ref, e.currentTask))
		}
	}
}
