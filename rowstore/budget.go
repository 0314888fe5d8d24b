package rowstore

import (
	"fmt"

	"github.com/ontosql/ontosql"
)

// makeRoom drops the tables that were looked up longest ago until more bytes fit into the budget. If
// they do not, it drops the table of the type itself. The caller holds the mutex.
func (s *Store) makeRoom(ref ontosql.TypeRef, more int64) error {
	for {
		used, victim := more, (*entry)(nil)
		for other, e := range s.types {
			if e.table == nil {
				continue
			}
			used += e.table.Bytes
			if other != ref && s.now().Sub(e.lastUsed) >= minIdle && (victim == nil || e.lastUsed.Before(victim.lastUsed)) {
				victim = e
			}
		}
		switch {
		case used <= s.budget:
			return nil
		case victim == nil:
			if e := s.types[ref]; e.table != nil {
				s.drop(e)
			}
			return fmt.Errorf("%w of %d bytes: with about %d more it is %d", errNoRoom, s.budget, more, used)
		}
		s.drop(victim)
		victim.reads = 0
	}
}
