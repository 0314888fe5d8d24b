package chain

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// maxPreloaded is the number of preloaded manifests kept until a walk needs them.
const maxPreloaded = 4096

// Preload gives the log the bytes of a manifest that this process has written, so that
// the log need not read it. Like any manifest, it counts only once a head leads to it.
// The log keeps body; the caller must not change it.
func (l *Log) Preload(path string, body []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.preloaded) >= maxPreloaded { // the log is not used; the manifests can be read from the store
		clear(l.preloaded)
	}
	l.preloaded[path] = body
}

// takePreloaded moves the preloaded manifests of commits up to top to l.fetched. Later
// ones belong to a head that will be requested next.
func (l *Log) takePreloaded(top ontosql.CommitID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for path, body := range l.preloaded {
		id, _, ok := format.ParseCommitDir(path)
		if ok && id > top {
			continue
		}
		delete(l.preloaded, path)
		if _, there := l.fetched[path]; ok && !there {
			e, err := newEntry(path, body)
			l.fetched[path] = read{entry: e, err: err}
		}
	}
}
