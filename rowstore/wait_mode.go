//go:build mirrormode

package rowstore

import (
	"fmt"
	"math"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/mirror"
)

// waitForTable waits until the type has a table up to the head known at the call, or is known to
// get none.
func (s *Store) waitForTable(ref ontosql.TypeRef) {
	if mirror.MinReads == math.MaxInt || s.newest == nil {
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
