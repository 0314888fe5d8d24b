package storage

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// RecentCommits remembers what the last commits of this gateway wrote: the identities, so
// that an INSERT need not look for them in files, and the data files that nobody has read
// yet, so that the first reader need not ask the store. It belongs to one ontology.
// Landed and Uploads are for writepath.Options; NewFiles and NewTables take the whole.
type RecentCommits struct {
	files  recentFiles
	mirror atomic.Pointer[mirror.Mirror] // of the ontology, nil for none

	mu sync.RWMutex
	// The commits from first to last are all of this gateway.
	first, last         ontosql.CommitID
	firstPath, lastPath string                                          // of their manifests
	wrote               map[ontosql.TypeRef]map[string]ontosql.CommitID // the first of them that wrote an identity
	size                int                                             // identities in all
}

// maxIdentities bounds the number of identities.
const maxIdentities = 1 << 20

func orNew(k *RecentCommits) *RecentCommits {
	if k == nil {
		return &RecentCommits{}
	}
	return k
}

// Landed records a commit of this gateway.
func (k *RecentCommits) Landed(c writepath.LocalCommit) {
	for i, f := range c.Files {
		k.files.keep(f.Path, c.Bodies[i], c.Rows[i])
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	// A schema change may have dropped a type and its rows (A14).
	if c.Parent == "" || c.Parent != k.lastPath || c.Schema || k.size > maxIdentities {
		k.first, k.firstPath, k.size = c.Commit, c.Path, 0
		k.wrote = map[ontosql.TypeRef]map[string]ontosql.CommitID{}
	}
	k.last, k.lastPath = c.Commit, c.Path
	if slices.ContainsFunc(c.Files, func(f format.File) bool { return c.Identities[f.Ref()] == nil }) {
		// The committer does not report a large number of identities: the range starts again
		// after them.
		k.first, k.lastPath, k.wrote, k.size = 0, "", nil, 0
		return
	}
	for ref, identities := range c.Identities {
		known := k.wrote[ref]
		if known == nil {
			known = map[string]ontosql.CommitID{}
			k.wrote[ref] = known
		}
		for id := range identities {
			if _, before := known[id]; !before {
				known[id] = c.Commit
				k.size++
			}
		}
	}
}

// SetMirror is called with the mirror of the ontology before the first commit.
func (k *RecentCommits) SetMirror(m *mirror.Mirror) { k.mirror.Store(m) }

// Span is the range of commits up to the pin whose identities are remembered. It is
// empty, with first > last, if none are, or if they belong to another chain because the
// bucket was restored.
func (k *RecentCommits) Span(pin *resolver.Pin) (first, last ontosql.CommitID) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	e := pin.View.Commit(k.first)
	if k.first == 0 || e == nil || e.Path != k.firstPath {
		return pin.Head.Commit + 1, pin.Head.Commit
	}
	return k.first, min(k.last, pin.Head.Commit)
}

// Passed reports whether this gateway has made a commit above a pin's head.
func (k *RecentCommits) Passed(pin *resolver.Pin) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.last > pin.Head.Commit
}

// Has reports whether a remembered commit, up to last, wrote the identity.
func (k *RecentCommits) Has(t ontosql.TypeRef, identity string, last ontosql.CommitID) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	by, known := k.wrote[t][identity]
	return known && by <= last
}
