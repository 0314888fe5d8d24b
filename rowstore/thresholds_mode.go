//go:build mirrormode

package rowstore

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/mirror"
)

// mode is the value of ONTOSQL_TEST_MIRROR, which says the same of the row store as of the mirror
// (mirror/thresholds_mode.go): tables up to the head, up to half of the history, or none.
var mode = os.Getenv("ONTOSQL_TEST_MIRROR")

var minReads = func() int {
	if mode == "off" {
		return math.MaxInt
	}
	return 1
}()

// half is the first half of a history.
type half struct{ mirror.History }

func (h half) Head() ontosql.CommitID { return h.History.Head() / 2 }

func target(h mirror.History) mirror.History {
	if mode == "half" {
		return half{h}
	}
	return h
}

// waitForTable waits until the type has a table up to the head known at the call, or is known to
// get none.
func (s *Store) waitForTable(ref ontosql.TypeRef) {
	if mode == "off" || s.newest == nil {
		return
	}
	head := s.newest.Head()
	for until := time.Now().Add(time.Minute); ; {
		e := s.types[ref]
		if e == nil || e.reason != nil || e.table != nil && e.table.Through >= head {
			return
		}
		if _, ok := typeOf(s.newest, ref); !ok {
			return
		}
		s.signal()
		s.mu.Unlock()
		time.Sleep(100 * time.Microsecond)
		s.mu.Lock()
		if time.Now().After(until) {
			panic(fmt.Sprintf("row store of %s was not filled", ref))
		}
	}
}
