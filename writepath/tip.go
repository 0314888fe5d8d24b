package writepath

import (
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// tip is the head as our own swap left it, and the lease under which it did.
type tip struct {
	head  *format.Head
	lease *lease
}

// Landed is a commit of this process that is visible.
type Landed struct {
	Commit ontosql.CommitID
	Path   string // of its manifest
	Parent string // of the manifest before it, "" for none
	Files  []format.File
	Schema bool // it changed the schema
	// Identities are those it wrote, by type; see Identity. The values mean nothing.
	Identities map[ontosql.TypeRef]map[string]ontosql.CommitID
}

// reveal makes a group that landed known in this process: its manifests, so that
// nobody here has to ask for them, and its head, unless settling found that
// another writer is beyond it already.
func (t *holding) reveal(staged []*attempt) {
	for _, a := range staged {
		t.o.Log.Offer(a.landing.path, a.objects[len(a.objects)-1].body)
		if l := a.landing; t.o.Landed != nil {
			t.o.Landed(Landed{Commit: l.id, Path: l.path, Parent: l.parent, Files: a.manifest.Files, Schema: l.change != nil, Identities: l.writes})
		}
	}
	if *t.store.head.ManifestPath == staged[len(staged)-1].landing.path {
		t.own.Store(&tip{head: t.store.head, lease: t.lease})
	}
}

// Head is the head of the store as far as this process knows it without asking:
// that of its own last swap, while the lease under which it was made is still
// safe. since is when that lease began, by the clock of time.Now: what was read
// of the schema objects after it is as they are, but for our own changes, which
// stand in the chain of the head (decision A13). ok is false whenever another
// writer may have moved the head, and while a swap of ours is under way. The
// head is shared and not changed.
//
// A head that was only read under the lease would not do: the swap of a writer
// that had the lock before us may still be on its way, and lands as long as the
// head is the one that he saw. Our own swap shuts it out.
func (c *Committer) Head() (head *format.Head, since time.Time, ok bool) {
	own := c.own.Load()
	if own == nil || !own.lease.safe() {
		return nil, time.Time{}, false
	}
	return own.head, own.lease.began, true
}
