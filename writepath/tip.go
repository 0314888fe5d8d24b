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
	Bodies [][]byte // of the files, in their order, nil for a large one; nobody changes them
	// Rows are those of the files, in their order; nil for a file of many or large
	// ones. Nobody changes them.
	Rows   [][]format.Row
	Schema bool // it changed the schema
	// Identities are those it wrote, by type; see Identity. The values mean nothing.
	// A type of which it wrote many is missing.
	Identities map[ontosql.TypeRef]map[string]ontosql.CommitID
}

// offer gives the log the manifests of a group, so that nobody here has to ask
// for them. It is done before the swap: whoever reads the head right behind it
// must find them. The log believes them only once a head leads there.
func (t *holding) offer(staged []*attempt) {
	for _, a := range staged {
		t.o.Log.Offer(a.landing.path, a.objects[len(a.objects)-1].body)
	}
}

// reveal makes a group that landed known in this process, and its head, unless
// settling found that another writer is beyond it already.
func (t *holding) reveal(staged []*attempt) {
	for _, a := range staged {
		if l := a.landing; t.o.Landed != nil {
			t.o.Landed(Landed{
				Commit: l.id, Path: l.path, Parent: l.parent, Files: a.manifest.Files, Bodies: a.bodies(), Rows: a.rows, Schema: l.change != nil, Identities: l.few(),
			})
		}
	}
	if *t.store.head.ManifestPath == staged[len(staged)-1].landing.path {
		t.own.Store(&tip{head: t.store.head, lease: t.lease})
	}
}

// few are the identities of the types of which few were written.
func (l *landing) few() map[ontosql.TypeRef]map[string]ontosql.CommitID {
	known := make(map[ontosql.TypeRef]map[string]ontosql.CommitID, len(l.writes))
	for ref, ids := range l.writes {
		if ids.few != nil {
			known[ref] = ids.few
		}
	}
	return known
}

// bodies are those of the data files; the manifest's is the last object.
func (a *attempt) bodies() [][]byte {
	bodies := make([][]byte, len(a.manifest.Files))
	for i := range bodies {
		bodies[i] = a.objects[i].body
	}
	return bodies
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
