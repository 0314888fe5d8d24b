package format

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
)

// uniqueKey is the key of the file metadata that is set if no two rows share an identity and a
// commit. Inspect then need not read the rows.
const uniqueKey = "ontosql_unique_rows"

// maxUniqueRows bounds the hashes that a file's writer keeps in memory, eight bytes for each row.
// A larger file does not state whether its rows are unique.
const maxUniqueRows = 8 << 20

// uniqueRows finds out whether the rows of a file are unique, by hashes of their identities and
// commits.
type uniqueRows struct {
	seed   maphash.Seed
	hashes []uint64
	over   bool // there are more rows than maxUniqueRows
	buffer []byte
}

// expect prepares for count rows, before the first one comes.
func (u *uniqueRows) expect(count int64) {
	if count > maxUniqueRows {
		u.over = true
		return
	}
	u.hashes = slices.Grow(u.hashes, int(max(count, 0)))
}

func (u *uniqueRows) add(row *Row) {
	if u.over || len(u.hashes) == maxUniqueRows {
		u.hashes, u.over = nil, true
		return
	}
	u.buffer = binary.AppendUvarint(u.buffer[:0], uint64(row.Commit))
	for _, key := range [...]string{row.Key, row.Left, row.Right, row.Instance} {
		u.buffer = append(binary.AppendUvarint(u.buffer, uint64(len(key))), key...)
	}
	u.hashes = append(u.hashes, maphash.Bytes(u.seed, u.buffer))
}

// unique reports whether all rows differ. False means that two may be equal.
func (u *uniqueRows) unique() bool {
	slices.Sort(u.hashes)
	for i := 1; i < len(u.hashes); i++ {
		if u.hashes[i] == u.hashes[i-1] {
			return false
		}
	}
	return !u.over
}

// readFooter sets the facts of a file of this program from its footer alone. It returns false if
// the footer does not have them all.
func (s *inspector) readFooter() bool {
	p, meta := s.file, s.file.reader.MetaData()
	if !p.ours() || meta.KeyValueMetadata().FindValue(uniqueKey) == nil {
		return false
	}
	key := p.identityColumns()[0]
	for group := range p.reader.NumRowGroups() {
		commits, ok1 := p.bounds(group, commitColumn)
		keys, ok2 := p.bounds(group, key)
		if !ok1 || !ok2 || len(commits[0]) != 8 || len(commits[1]) != 8 || !utf8.Valid(keys[0]) || !utf8.Valid(keys[1]) {
			return false
		}
		low := ontosql.CommitID(binary.LittleEndian.Uint64(commits[0]))
		if low < 1 {
			return false
		}
		s.updateBounds([]int64{int64(low), int64(binary.LittleEndian.Uint64(commits[1]))}, keys[:])
	}
	s.setKeyBounds()
	return true
}

// bounds returns the minimum and the maximum of a column in a row group as the footer has them. ok
// is false if it has none or the column has NULLs.
func (p *parquetFile) bounds(group int, column string) (bounds [2][]byte, ok bool) {
	chunk, err := p.reader.MetaData().RowGroup(group).ColumnChunk(p.leafIndex[column])
	if err != nil {
		return bounds, false
	}
	stats, err := chunk.Statistics()
	if err != nil || stats == nil || !stats.HasMinMax() || !stats.HasNullCount() || stats.NullCount() > 0 {
		return bounds, false
	}
	return [2][]byte{stats.EncodeMin(), stats.EncodeMax()}, true
}
