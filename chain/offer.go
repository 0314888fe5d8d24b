package chain

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// mostOffers is how many manifests are kept that nobody has asked for yet.
const mostOffers = 4096

// Offer gives the log the bytes of a manifest that this process has written, so
// that it need not be read when a head leads to it; until then it is not
// believed, like every other one. The log keeps body, which is not changed any
// more.
func (l *Log) Offer(path string, body []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.offered) >= mostOffers { // nobody reads here: the store has them
		clear(l.offered)
	}
	l.offered[path] = body
}

// takeOffers takes what was offered of the commits up to top. What is above it
// is of a head that somebody will ask for next.
func (l *Log) takeOffers(top ontosql.CommitID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for path, body := range l.offered {
		id, _, ok := format.ParseCommitDir(path)
		if ok && id > top {
			continue
		}
		delete(l.offered, path)
		if _, there := l.spare[path]; ok && !there {
			e, err := newEntry(path, body)
			l.spare[path] = read{e, err}
		}
	}
}
