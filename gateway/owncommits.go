package gateway

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

// OwnCommits remembers what the last commits of this gateway wrote: which
// identities, so that an INSERT need not look into their files, and the files
// that nobody has read yet, so that the first who does need not ask the store.
// It belongs to one ontology: Landed and Uploads are what writepath.Options wants, and
// NewFiles and NewTables take it.
type OwnCommits struct {
	files  ownFiles
	mirror atomic.Pointer[mirror.Mirror] // of the ontology, nil for none

	mu sync.RWMutex
	// The commits from first to last are all of this gateway, without one of
	// another in between.
	first, last         ontosql.CommitID
	firstPath, lastPath string                                          // of their manifests
	wrote               map[ontosql.TypeRef]map[string]ontosql.CommitID // the first of them that wrote an identity
	size                int                                             // identities in all
}

// mostOwnIdentities bounds the memory.
const mostOwnIdentities = 1 << 20

func orNew(k *OwnCommits) *OwnCommits {
	if k == nil {
		return &OwnCommits{}
	}
	return k
}

// Landed takes in a commit.
func (k *OwnCommits) Landed(c writepath.Landed) {
	for i, f := range c.Files {
		k.files.keep(f.Path, c.Bodies[i], c.Rows[i])
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	// A schema change may have dropped a type, whose rows are gone then (A14).
	if c.Parent == "" || c.Parent != k.lastPath || c.Schema || k.size > mostOwnIdentities {
		k.first, k.firstPath, k.size = c.Commit, c.Path, 0
		k.wrote = map[ontosql.TypeRef]map[string]ontosql.CommitID{}
	}
	k.last, k.lastPath = c.Commit, c.Path
	if slices.ContainsFunc(c.Files, func(f format.File) bool { return c.Identities[f.Ref()] == nil }) {
		// Of many identities nobody says which: the run begins anew behind them.
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

// span is the run of commits up to the pin that are remembered, first > last for
// none: those of another chain, after a restored bucket, do not count.
func (k *OwnCommits) span(pin *resolver.Pin) (first, last ontosql.CommitID) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	e := pin.View.Commit(k.first)
	if k.first == 0 || e == nil || e.Path != k.firstPath {
		return pin.Head.Commit + 1, pin.Head.Commit
	}
	return k.first, min(k.last, pin.Head.Commit)
}

// passed reports whether a commit of this gateway is above a pin's head.
func (k *OwnCommits) passed(pin *resolver.Pin) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.last > pin.Head.Commit
}

// has reports whether a commit up to last wrote the identity, as far as is
// remembered.
func (k *OwnCommits) has(t ontosql.TypeRef, identity string, last ontosql.CommitID) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	by, known := k.wrote[t][identity]
	return known && by <= last
}
