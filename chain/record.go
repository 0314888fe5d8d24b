package chain

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"maps"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// A record is one entry in the log's file: the length of its payload and its CRC-32C
// (four bytes each, little endian), then the payload. The payload is a list of integers
// (varint) and texts (length and bytes) in the order of appendRecord. The parent is
// omitted, because it is the previous record. This format is used instead of the
// manifest's JSON because it decodes much faster: a log may have ten thousand manifests.

const recordHeaderSize = 8 // length and checksum

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errRecord = errors.New("damaged record")

func appendRecord(b []byte, e *Entry) []byte {
	start := len(b)
	b = append(b, make([]byte, recordHeaderSize)...)
	b = binary.AppendUvarint(b, uint64(e.ID))
	b = appendText(b, e.Path)
	b = append(b, e.sha256[:]...)
	m := e.Manifest
	b = binary.AppendVarint(b, m.CreatedAt.UnixMicro())
	b = appendText(b, m.RuntimeID)
	b = binary.AppendUvarint(b, uint64(len(m.Files)))
	for i := range m.Files {
		b = appendFile(b, &m.Files[i])
	}
	b = binary.AppendUvarint(b, uint64(len(m.Metadata)))
	for _, name := range slices.Sorted(maps.Keys(m.Metadata)) {
		b = appendText(b, name)
		b = appendText(b, string(m.Metadata[name]))
	}
	b = binary.AppendUvarint(b, uint64(len(e.drops)))
	for _, t := range e.drops {
		b = appendText(b, t.Kind.String())
		b = appendText(b, t.Name)
	}
	payload := b[start+recordHeaderSize:]
	binary.LittleEndian.PutUint32(b[start:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(b[start+4:], crc32.Checksum(payload, castagnoli))
	return b
}

func appendFile(b []byte, f *format.File) []byte {
	b = appendText(b, f.Kind)
	b = appendText(b, f.TypeName)
	b = appendText(b, f.Path)
	b = binary.AppendUvarint(b, uint64(f.RowCount))
	version := uint64(0) // version + 1; 0 means that there is none
	if f.SchemaVersionID != nil {
		version = uint64(*f.SchemaVersionID) + 1
	}
	b = binary.AppendUvarint(b, version)
	return appendText(b, f.ContentSHA256)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// cutRecord decodes the first record of log, which follows before (nil at the start). It
// returns the record's length. A record that does not continue before is an error, like
// one with a wrong checksum.
func cutRecord(log string, before *Entry) (*Entry, int, error) {
	if len(log) < recordHeaderSize {
		return nil, 0, errRecord
	}
	head := []byte(log[:recordHeaderSize])
	size := int64(binary.LittleEndian.Uint32(head))
	if size > int64(len(log)-recordHeaderSize) {
		return nil, 0, errRecord
	}
	payload := log[recordHeaderSize : recordHeaderSize+size]
	if crc32.Checksum([]byte(payload), castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, 0, errRecord
	}
	r := reader{rest: payload}
	e := r.entry()
	if r.bad || r.rest != "" {
		return nil, 0, errRecord
	}
	if before == nil {
		before = &Entry{}
	}
	if e.ID != before.ID+1 {
		return nil, 0, errRecord
	}
	if before.ID > 0 {
		e.Manifest.ParentCommitID = &before.ID
		e.Manifest.ParentManifestPath = &before.Path
	}
	return e, recordHeaderSize + int(size), nil
}

// reader decodes a payload. After the first error bad is set and everything reads as zero.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) entry() *Entry {
	e := &Entry{ID: ontosql.CommitID(r.integer()), Path: r.text()}
	copy(e.sha256[:], r.take(uint64(len(e.sha256))))
	m := &format.Manifest{
		CommitID:  e.ID,
		CreatedAt: format.Time{Time: time.UnixMicro(r.signed()).UTC()},
		RuntimeID: r.text(),
		Files:     make([]format.File, r.count()),
	}
	for i := range m.Files {
		m.Files[i] = r.file()
	}
	n := r.count()
	m.Metadata = make(map[string]json.RawMessage, n)
	for range n {
		name := r.text()
		m.Metadata[name] = json.RawMessage(r.text())
	}
	for range r.count() {
		e.drops = append(e.drops, ontosql.TypeRef{Kind: r.kind(), Name: r.text()})
	}
	e.Manifest = m
	e.decodeLazily()
	return e
}

func (r *reader) file() format.File {
	f := format.File{Kind: r.kind().String(), TypeName: r.text(), Path: r.text(), RowCount: r.integer()}
	if version := r.integer(); version > 0 {
		version--
		f.SchemaVersionID = &version
	}
	f.ContentSHA256 = r.text()
	return f
}

func (r *reader) kind() ontosql.Kind {
	k, err := ontosql.ParseKind(r.text())
	if err != nil {
		r.fail()
	}
	return k
}

// count reads the length of a list. Each element has at least one byte.
func (r *reader) count() int64 {
	n := r.integer()
	if n > int64(len(r.rest)) {
		r.fail()
		return 0
	}
	return n
}

func (r *reader) integer() int64 {
	n, size := binary.Uvarint(r.number())
	if size <= 0 || int64(n) < 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return int64(n)
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.number())
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// number returns the next bytes, enough for any varint.
func (r *reader) number() []byte {
	return []byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)])
}

func (r *reader) text() string { return r.take(uint64(r.integer())) }

func (r *reader) take(n uint64) string {
	if n > uint64(len(r.rest)) {
		r.fail()
		return ""
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) fail() { r.bad, r.rest = true, "" }
