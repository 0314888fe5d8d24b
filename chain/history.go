package chain

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
)

// history is a complete sequence of commits from the first one on, with indexes by type.
// It is immutable. A longer history that extend makes shares its memory.
type history struct {
	entries []*Entry           // entries[i] is commit i+1
	created []int64            // created_at in microseconds, for LastCommitAt
	schema  []ontosql.CommitID // commits that change the schema
	tagged  []ontosql.CommitID // commits that change the tags
	types   map[ontosql.TypeRef]typeHistory

	// extended means that a longer history uses the free capacity of these slices.
	// Guarded by the log's loadLock.
	extended bool
}

// typeHistory lists the events of one type in ascending order of commits.
type typeHistory struct {
	written []ontosql.CommitID // commits with files of the type
	totals  []total            // totals[i] counts up to and including written[i]
	dropped []ontosql.CommitID // commits that dropped the type
	// migrated lists the migrations by the original.
	migrated []migrated
}

// total is the number of files of a type and of their rows, counted from the first commit.
type total struct {
	files int
	rows  int64
}

func (h *history) len() ontosql.CommitID { return ontosql.CommitID(len(h.entries)) }

// lastEntry returns the last commit of h, or nil.
func (h *history) lastEntry() *Entry {
	if len(h.entries) == 0 {
		return nil
	}
	return h.entries[len(h.entries)-1]
}

// containsLink reports whether h contains the manifest of l, or l is before the first
// commit.
func (h *history) containsLink(l link) bool {
	return l.id == 0 || l.id <= h.len() && h.entries[l.id-1].matches(l)
}

// contains reports whether h contains the manifest of e.
func (h *history) contains(e *Entry) bool {
	return e.ID <= h.len() && h.entries[e.ID-1].Path == e.Path
}

// extend returns h followed by entries.
func (h *history) extend(entries []*Entry) *history {
	from := h
	if h.extended {
		from = h.cut(h.len())
	}
	h.extended = true
	longer := &history{
		entries: append(from.entries, entries...),
		created: from.created,
		schema:  from.schema,
		tagged:  from.tagged,
		types:   maps.Clone(from.types),
	}
	if longer.types == nil {
		longer.types = map[ontosql.TypeRef]typeHistory{}
	}
	for _, e := range entries {
		longer.add(e)
	}
	return longer
}

func (h *history) add(e *Entry) {
	h.created = append(h.created, e.Manifest.CreatedAt.UnixMicro())
	if e.changesSchema() {
		h.schema = append(h.schema, e.ID)
	}
	if e.tags != nil {
		h.tagged = append(h.tagged, e.ID)
	}
	for i := range e.Manifest.Files {
		f := &e.Manifest.Files[i]
		ref := f.Ref()
		t := h.types[ref]
		if n := len(t.written); n == 0 || t.written[n-1] != e.ID {
			t.written = append(t.written, e.ID)
			t.totals = append(t.totals, t.upTo(n))
			h.types[ref] = t
		}
		now := &t.totals[len(t.totals)-1]
		now.files++
		now.rows += f.RowCount
	}
	for _, ref := range e.drops {
		t := h.types[ref]
		t.dropped = append(t.dropped, e.ID)
		h.types[ref] = t
	}
	for ref, to := range e.migrations() {
		t := h.types[ref]
		t.migrated = append(t.migrated, migrated{commit: e.ID, to: to})
		h.types[ref] = t
	}
}

// upTo returns the total of the first n commits that wrote the type.
func (t *typeHistory) upTo(n int) total {
	if n == 0 {
		return total{}
	}
	return t.totals[n-1]
}

// cut returns h up to commit n. Appending to its slices copies them.
func (h *history) cut(n ontosql.CommitID) *history {
	short := &history{
		entries: h.entries[:n:n],
		created: h.created[:n:n],
		schema:  upTo(h.schema, n),
		tagged:  upTo(h.tagged, n),
		types:   make(map[ontosql.TypeRef]typeHistory, len(h.types)),
	}
	for ref, t := range h.types {
		written := upTo(t.written, n)
		known, _ := slices.BinarySearchFunc(t.migrated, n+1, func(m migrated, id ontosql.CommitID) int { return cmp.Compare(m.commit, id) })
		t = typeHistory{written: written, totals: t.totals[:len(written):len(written)], dropped: upTo(t.dropped, n), migrated: t.migrated[:known:known]}
		if len(t.written) > 0 || len(t.dropped) > 0 || len(t.migrated) > 0 {
			short.types[ref] = t
		}
	}
	return short
}

// upTo returns the ids at or below n.
func upTo(ids []ontosql.CommitID, n ontosql.CommitID) []ontosql.CommitID {
	i, found := slices.BinarySearch(ids, n)
	if found {
		i++
	}
	return ids[:i:i]
}

// last returns the greatest id at or below n, or 0.
func last(ids []ontosql.CommitID, n ontosql.CommitID) ontosql.CommitID {
	if below := upTo(ids, n); len(below) > 0 {
		return below[len(below)-1]
	}
	return 0
}
