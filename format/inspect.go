package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
)

// InspectEncoded is Inspect with the facts in the form that a cache of files remembers (Facts.Encode).
func InspectEncoded(ctx context.Context, path string) ([]byte, error) {
	facts, err := Inspect(ctx, path)
	if err != nil {
		return nil, err
	}
	return facts.Encode()
}

// Inspect reads the footer, the commit ids and the identities of a local data file, or the footer
// alone if it says enough. Memory use is bounded for any file size. Unreadable content is ErrDamagedFile, a missing file is
// fs.ErrNotExist.
func Inspect(ctx context.Context, path string) (facts *Facts, err error) {
	defer recoverDamage(&err)
	p, err := openParquet(path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	s := &inspector{file: p, facts: &Facts{Rows: p.reader.NumRows(), Columns: p.columns, Plain: p.plain()}}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.facts, nil
}

// maxHashes is the approximate number of hashes of identities that are kept in memory. The
// identities of a larger file are divided into parts by hash, and the file is read once for each
// part.
const maxHashes = 4 << 20

// maxBoundBytes is the maximum length of a key bound in bytes.
const maxBoundBytes = 1024

// inspector is the state of one Inspect.
type inspector struct {
	file     *parquetFile
	facts    *Facts
	seed     maphash.Seed
	parts    uint64
	part     uint64
	hashes   []uint64
	min, max []byte
}

func (s *inspector) run(ctx context.Context) error {
	if err := s.countRows(); err != nil {
		return err
	}
	if s.readFooter() {
		return nil
	}
	s.seed = maphash.MakeSeed()
	s.parts = uint64(s.facts.Rows/maxHashes) + 1
	for s.part = 0; s.part < s.parts && !s.facts.Duplicates; s.part++ {
		s.hashes = s.hashes[:0]
		for group := range s.file.reader.NumRowGroups() {
			if err := s.readGroup(ctx, group); err != nil {
				return err
			}
		}
		s.findDuplicates()
	}
	s.setKeyBounds()
	return nil
}

func (s *inspector) countRows() error {
	var rows int64
	meta := s.file.reader.MetaData()
	for group := range s.file.reader.NumRowGroups() {
		n := meta.RowGroup(group).NumRows()
		if n < 0 || rows+n < rows {
			return damaged("row group %d has %d rows", group, n)
		}
		rows += n
	}
	if rows != s.facts.Rows {
		return damaged("%d rows are announced, the row groups have %d", s.facts.Rows, rows)
	}
	return nil
}

func (s *inspector) readGroup(ctx context.Context, group int) error {
	commits, err := s.file.column(group, "commit_id")
	if err != nil {
		return err
	}
	var identity []*columnReader
	for _, name := range s.file.identityColumns() {
		c, err := s.file.column(group, name)
		if err != nil {
			return err
		}
		identity = append(identity, c)
	}
	texts := make([][][]byte, len(identity))
	for left := s.file.reader.MetaData().RowGroup(group).NumRows(); left > 0; {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		n := int(min(left, columnBatchRows))
		ids, err := commits.numbers(n, false)
		if err != nil {
			return err
		}
		if slices.Min(ids) < 1 {
			return damaged("column commit_id has %d", slices.Min(ids))
		}
		for i, c := range identity {
			if texts[i], err = c.keys(n); err != nil {
				return err
			}
		}
		s.addRows(ids, texts)
		left -= int64(n)
	}
	return nil
}

// addRows adds a batch of rows to the bounds and the hashes.
func (s *inspector) addRows(commits []int64, identity [][][]byte) {
	if s.part == 0 {
		s.updateBounds(commits, identity[0])
	}
	var h maphash.Hash
	h.SetSeed(s.seed)
	var number [8]byte
	for row, commit := range commits {
		h.Reset()
		binary.LittleEndian.PutUint64(number[:], uint64(commit))
		h.Write(number[:])
		for _, column := range identity {
			// The length distinguishes ("a", "b") from ("ab", "").
			binary.LittleEndian.PutUint64(number[:], uint64(len(column[row])))
			h.Write(number[:])
			h.Write(column[row])
		}
		sum := h.Sum64()
		if sum%s.parts != s.part {
			continue
		}
		if len(s.hashes) >= 2*maxHashes {
			// Hashes of distinct identities spread evenly over the parts. So many hashes in one
			// part mean that identities repeat.
			s.facts.Duplicates = true
			continue
		}
		s.hashes = append(s.hashes, sum)
	}
}

func (s *inspector) updateBounds(commits []int64, keys [][]byte) {
	for _, n := range commits {
		commit := ontosql.CommitID(n)
		if s.facts.MinCommit == 0 || commit < s.facts.MinCommit {
			s.facts.MinCommit = commit
		}
		s.facts.MaxCommit = max(s.facts.MaxCommit, commit)
	}
	for _, key := range keys {
		if s.min == nil || bytes.Compare(key, s.min) < 0 {
			s.min = append([]byte{}, key...)
		}
		if s.max == nil || bytes.Compare(key, s.max) > 0 {
			s.max = append([]byte{}, key...)
		}
	}
}

func (s *inspector) findDuplicates() {
	slices.Sort(s.hashes)
	for i := 1; i < len(s.hashes); i++ {
		if s.hashes[i] == s.hashes[i-1] {
			s.facts.Duplicates = true
			return
		}
	}
}

// setKeyBounds sets the key bounds of the facts if they are usable.
func (s *inspector) setKeyBounds() {
	kind := s.file.kindOfColumn(s.file.identityColumns()[0])
	short := len(s.min) <= maxBoundBytes && len(s.max) <= maxBoundBytes
	if kind == KindString && s.facts.Rows > 0 && short && utf8.Valid(s.min) && utf8.Valid(s.max) {
		s.facts.KeyBounds = true
		s.facts.MinKey, s.facts.MaxKey = string(s.min), string(s.max)
	}
}
