package format

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/ontosql/ontosql"
)

// commitColumn is the column of the commit id.
const commitColumn = "commit_id"

// The maximum size of a row group, in rows and in bytes of keys and JSON. DuckDB reads row groups
// in parallel; groupRows is the size of its own row groups.
const (
	groupRows  = 122_880
	groupBytes = 64 << 20
)

// rowGroup encodes rows as column chunks. Most of its content is compressed pages.
type rowGroup struct {
	ref     ontosql.TypeRef
	chunks  []*chunk       // in the order of COMPAT 2.4
	system  []*chunk       // the system columns
	typed   []*typedColumn // the typed columns, by field
	reader  fieldsReader
	encoder pageEncoder
	lane    *lane

	unique     uniqueRows // of the file
	notPlain   bool       // some row of the file is not PlainJSON
	rows       int
	bytes      int // of keys and JSON
	sinceCheck int // bytes since the size of pages was last checked
}

// xxHash is the hash function of bloom filters.
var xxHash = metadata.NewBloomFilter(0, 0, memory.DefaultAllocator).Hasher()

func newRowGroup(t ontosql.TypeRef, fields []DataField) (*rowGroup, error) {
	codec, err := compress.GetCodec(compress.Codecs.Snappy)
	if err != nil {
		return nil, err
	}
	g := &rowGroup{
		ref: t, unique: uniqueRows{seed: maphash.MakeSeed()}, typed: typedColumns(t.Kind, fields),
		encoder: pageEncoder{codec: codec}, lane: newLane(),
	}
	for _, name := range systemColumns(t.Kind) {
		c := &chunk{name: name, kind: FieldStr, id: systemID(name)}
		switch name {
		case commitColumn, "schema_version_id":
			c.kind = FieldInt
		case "entity_key", "left_key", "right_key":
			c.hasher = xxHash
		case "fields_json":
			c.noStatistics = true
		}
		g.system = append(g.system, c)
	}
	g.chunks = append(g.chunks, g.system...)
	byName := slices.SortedFunc(slices.Values(g.typed), func(a, b *typedColumn) int { return strings.Compare(a.name, b.name) })
	for _, c := range byName {
		g.chunks = append(g.chunks, &c.chunk)
	}
	g.reader.columns = g.typed
	return g, nil
}

func (g *rowGroup) full() bool { return g.rows >= groupRows || g.bytes >= groupBytes }

// add appends a row. It does not keep the row.
func (g *rowGroup) add(row *Row) error {
	if err := g.reader.read(row.Fields); err != nil {
		return err
	}
	g.notPlain = g.notPlain || g.reader.s.maybeNotPlain && !PlainJSON(row.Fields)
	g.unique.add(row)
	c := g.system
	c[0].addInt(int64(row.Commit))
	addText(&c[1].page, g.ref.Name)
	if g.ref.Kind == ontosql.Entity {
		addText(&c[2].page, row.Key)
	} else {
		addText(&c[2].page, row.Left)
		addText(&c[3].page, row.Right)
		addText(&c[4].page, row.Instance)
	}
	c = c[len(c)-2:]
	if row.SchemaVersionID == 0 {
		c[0].addNull()
	} else {
		c[0].addInt(row.SchemaVersionID)
	}
	addText(&c[1].page, row.Fields)
	g.rows++
	size := row.Size()
	g.bytes += size
	const checkEvery = 1 << 16
	if g.sinceCheck += size + 64; g.sinceCheck < checkEvery {
		return nil
	}
	g.sinceCheck = 0
	for _, c := range g.chunks {
		if c.full() {
			g.lane.start()
			if err := g.finishPage(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishPage has the current page of a chunk encoded, and begins an empty one.
func (g *rowGroup) finishPage(c *chunk) error {
	full := c.page
	c.page = page{}
	err := g.lane.do(func() error {
		defer g.lane.reuse(full)
		if err := c.encode(&full, &g.encoder); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
		return nil
	})
	c.page = g.lane.emptyPage()
	return err
}

// finish has the row group written by p, and begins an empty one.
func (g *rowGroup) finish(p *parquetWriter) error {
	for _, c := range g.chunks {
		if err := g.finishPage(c); err != nil {
			return err
		}
	}
	rows := g.rows
	g.rows, g.bytes, g.sinceCheck = 0, 0, 0
	return g.lane.do(func() error { return p.writeGroup(g.chunks, rows, &g.encoder) })
}
