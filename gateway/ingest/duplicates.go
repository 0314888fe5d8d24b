package ingest

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// duplicates finds out whether two rows have the same identity and commit (decision A15).
// It expects the rows of a commit together. It remembers the identities of one commit;
// for commits with too many, and for rows in another order, inTable asks the engine.
type duplicates struct {
	seed    maphash.Seed
	found   bool
	current ontosql.CommitID
	known   hashes // of the identities of the current commit
	n       int    // rows of the current commit
	large   []ontosql.CommitID
	mixed   bool // the commits were not in order
}

// maxIdentities bounds the identities of a commit that are remembered. Their hashes fill
// 16 MiB.
const maxIdentities = 1 << 20

// hashes is a set of hash values.
type hashes struct {
	slots []uint64 // 0 for none; as many as a power of two
	n     int
}

// add adds a value and reports whether the set had it before. The lowest bit is ignored.
func (h *hashes) add(number uint64) bool {
	number |= 1 // a slot is never 0; the other bits choose it
	if 2*h.n >= len(h.slots) {
		grown := hashes{slots: make([]uint64, max(64, 2*len(h.slots)))}
		for _, known := range h.slots {
			if known != 0 {
				grown.add(known)
			}
		}
		*h = grown
	}
	for at := number >> 1; ; at++ {
		switch slot := &h.slots[at&uint64(len(h.slots)-1)]; *slot {
		case number:
			return true
		case 0:
			*slot, h.n = number, h.n+1
			return false
		}
	}
}

func (h *hashes) clear() {
	clear(h.slots)
	h.n = 0
}

// add adds row i of a batch with these key columns.
func (d *duplicates) add(c ontosql.CommitID, keys []column.Vector, i int) {
	if d.found || d.mixed {
		return
	}
	if c != d.current || d.n == 0 {
		d.mixed = c < d.current
		d.current, d.n = c, 0
		d.known.clear()
	}
	switch d.n++; {
	case d.n <= maxIdentities:
		d.found = d.known.add(d.hash(keys, i))
	case d.n == maxIdentities+1:
		d.large = append(d.large, c)
	}
}

func (d *duplicates) hash(keys []column.Vector, i int) uint64 {
	if len(keys) == 1 {
		return maphash.Bytes(d.seed, keys[0].Str[i])
	}
	var h maphash.Hash
	h.SetSeed(d.seed)
	for k := range keys {
		text := keys[k].Str[i]
		var size [8]byte
		binary.LittleEndian.PutUint64(size[:], uint64(len(text)))
		_, _ = h.Write(size[:]) // never fails
		_, _ = h.Write(text)
	}
	return h.Sum64()
}

// inTable reports whether there are duplicates among the rows that were added. The rows
// are in a table of the engine, which is asked if necessary.
func (d *duplicates) inTable(ctx context.Context, conn *duckdb.Conn, table string, kind ontosql.Kind) (bool, error) {
	if d.found || !d.mixed && len(d.large) == 0 {
		return d.found, nil
	}
	where := "true"
	if !d.mixed {
		ids := make([]string, len(d.large))
		for i, c := range d.large {
			ids[i] = fmt.Sprint(c)
		}
		where = "commit_id IN (" + strings.Join(ids, ", ") + ")"
	}
	keys := strings.Join(scan.KeyColumns(kind), ", ")
	found := false
	err := conn.Each(ctx, "SELECT 1 FROM "+table+" WHERE "+where+" GROUP BY commit_id, "+keys+" HAVING count(*) > 1 LIMIT 1", nil,
		func(*column.Batch, int) { found = true })
	return found, err
}

// repeated reports whether a few rows of one type have duplicates.
func repeated(rows []format.Row) bool {
	type version struct {
		key, left, right, instance string
		commit                     ontosql.CommitID
	}
	known := map[version]bool{}
	for i := range rows {
		r := &rows[i]
		known[version{r.Key, r.Left, r.Right, r.Instance, r.Commit}] = true
	}
	return len(known) < len(rows)
}
