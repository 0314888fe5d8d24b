package ontosql

import (
	"fmt"
	"time"
)

// CommitID numbers the commits of one ontology: dense from 1, never reused
// (invariant I3). 0 stands for "before the first commit", the state of a store
// that was initialised and not written to.
type CommitID int64

// MaxValueSize is the limit of the size of one value, in bytes.
const MaxValueSize = 64 << 20

// Kind tells the two kinds of types of an ontology apart.
type Kind uint8

// The two kinds. The zero value is neither, so that a forgotten Kind shows.
const (
	Entity   Kind = iota + 1 // has one primary key
	Relation                 // links a left and a right entity
)

// String is the spelling that stored objects use: "entity" or "relation".
func (k Kind) String() string {
	switch k {
	case Entity:
		return "entity"
	case Relation:
		return "relation"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ParseKind reads the spelling of String.
func ParseKind(s string) (Kind, error) {
	switch s {
	case "entity":
		return Entity, nil
	case "relation":
		return Relation, nil
	}
	return 0, fmt.Errorf("unknown type kind %q", s)
}

// TypeRef names an entity or relation type by its ontology name, in the case
// it was registered with. Table names, which are folded, are the catalog's.
type TypeRef struct {
	Kind Kind
	Name string
}

// String is "entity:Customer", the form that conflict details use.
func (t TypeRef) String() string { return t.Kind.String() + ":" + t.Name }

// Compare orders entities before relations and then by name, the order in
// which the original walks its types.
func (t TypeRef) Compare(o TypeRef) int {
	switch {
	case t.Kind != o.Kind:
		return int(t.Kind) - int(o.Kind)
	case t.Name < o.Name:
		return -1
	case t.Name > o.Name:
		return 1
	}
	return 0
}

// Head is what meta/head.json says: the only truth of what is committed (I1).
type Head struct {
	Commit       CommitID
	ManifestPath string // relative to the store's prefix; "" when Commit is 0
	RuntimeID    string
	UpdatedAt    time.Time
}

// Mode says which versions of a type's rows a reference shows.
type Mode uint8

// The modes of a window (COMPAT 6.1).
const (
	Latest  Mode = iota // one row per identity, its newest version at Window.Upper
	History             // every version in the window
	Changes             // every version in the window, compared with the one before it
	Diff                // one row per identity that differs between Window.Since and Window.Upper
	Blame               // one row per identity and field: the version that set its value
)

// Window selects versions of one type by commit: those in (Lower, Upper].
// Lower is 0 unless the statement bounds commit_id from below; Latest needs it
// to be 0, because an old version may be the newest of its identity.
type Window struct {
	Mode  Mode
	Lower CommitID // exclusive
	Upper CommitID // inclusive, never above the pin's head
	// Since is, of Diff, the commit whose rows are compared with those at Upper, never above it.
	Since CommitID
	// Backward says of Diff that the rows at Since are the newer state of the comparison.
	Backward bool
}
