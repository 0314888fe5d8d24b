package mirror

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// History is an ontology as of one pin. It is immutable and safe for concurrent use. Methods
// without a context do no I/O.
type History interface {
	// Head is the newest commit.
	Head() ontosql.CommitID
	// Mark identifies the history up to a commit: two stores with the same mark at a commit
	// have the same commits up to it. It is "" for a commit that does not exist.
	Mark(ontosql.CommitID) string
	// Type returns a type of the catalog at the head.
	Type(ontosql.TypeRef) (*catalog.Type, bool)
	// Size returns the number of files (or other objects that are opened one by one) and of
	// rows of a type in the commits (after, through].
	Size(t *catalog.Type, after, through ontosql.CommitID) (files int, rows int64)
	// Rows returns the versions of a type in the commits (after, through].
	Rows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (*Rows, error)
}

// Precedes reports whether h is an older pin of the history n, or the store restored to it: what was
// made for n fits both.
func Precedes(h, n History) bool {
	return n != nil && h.Head() < n.Head() && h.Mark(h.Head()) == n.Mark(h.Head())
}

// FitsType reports whether a copy of a type with a signature (scan.Signature) and a floor is one
// of the type as it is now.
func FitsType(typ *catalog.Type, signature string, floor ontosql.CommitID) bool {
	return typ.Floor == floor && scan.Signature(typ) == signature
}

// FitsHistory reports whether a copy belongs to the history h: either h includes the commit
// that the copy is complete through, or the history that the copy was made of includes h's head.
// *made is that history, nil if it is not known; it becomes h if h includes the commit.
func FitsHistory(h History, through ontosql.CommitID, mark string, made *History) bool {
	if h.Head() >= through {
		if h.Mark(through) != mark {
			return false
		}
		if *made == nil {
			*made = h
		}
		return true
	}
	return *made != nil && (*made).Mark(h.Head()) == h.Mark(h.Head())
}
