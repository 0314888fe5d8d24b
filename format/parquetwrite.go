package format

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/ontosql/ontosql"
)

// A row group ends at so many rows, which is DuckDB's unit of parallel work,
// or so many bytes of keys and JSON, which bounds the memory of a writer.
const (
	groupRows  = 122_880
	groupBytes = 64 << 20
)

// unfitKey is the key of the file metadata that lists, as a JSON array, the
// typed columns that do not tell the truth: some value was not of the column's
// type, so NULL stands for it. Inspect reports them as KindOther.
const unfitKey = "ontosql_unfit_columns"

// WriteRows writes a data file of one type, of a commit or a snapshot, to w:
// the system columns of COMPAT 2.4 and a typed column for each field of str,
// int, float or bool. Rows are written in their order, in row groups, of which
// two are in memory at a time. An error of the sequence ends the file. Nothing
// is kept of a row: its Fields may change when the next one is asked for. w is
// called from another goroutine, which has ended on return, and is not closed.
func WriteRows(w io.Writer, t ontosql.TypeRef, fields []SchemaField, rows iter.Seq2[Row, error]) (Written, error) {
	out := &countingWriter{w: w, hash: sha256.New()}
	n, err := writeRows(&parquetWriter{out: out}, t, fields, rows)
	if err != nil {
		return Written{}, err
	}
	return Written{SHA256: hex.EncodeToString(out.hash.Sum(nil)), Size: out.size, Rows: n}, nil
}

// writeRows collects rows while the row group before is written.
func writeRows(p *parquetWriter, t ontosql.TypeRef, fields []SchemaField, rows iter.Seq2[Row, error]) (n int64, err error) {
	g := newRowGroup(t, fields)
	var behind *groupQueue
	defer func() {
		if behind != nil {
			_ = behind.close() // an error of it has been told, or there is another
		}
	}()
	for row, err := range rows {
		if err != nil {
			return 0, err
		}
		if err := g.add(&row); err != nil {
			return 0, fmt.Errorf("row %d: %w", n, err)
		}
		if n++; !g.full() {
			continue
		}
		if behind == nil {
			behind = newGroupQueue(p, newRowGroup(t, fields))
		}
		if g, err = behind.exchange(g); err != nil {
			return 0, err
		}
	}
	if behind != nil {
		err := behind.close()
		behind = nil
		if err != nil {
			return 0, err
		}
	}
	if g.len() > 0 || n == 0 {
		if err := p.write(g); err != nil {
			return 0, err
		}
	}
	return n, p.finish()
}

// countingWriter hides everything of w but Write, so that nobody below closes it.
type countingWriter struct {
	w    io.Writer
	hash hash.Hash
	size int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.hash.Write(b[:n])
	c.size += int64(n)
	return n, err
}

// parquetWriter writes row groups. The file is begun with the first one, which
// shows the columns that a dictionary makes smaller.
type parquetWriter struct {
	out    io.Writer
	settle []parquet.WriterProperty // beside those of every file
	file   *file.Writer
	unfit  map[string]bool // columns that do not tell the truth
}

// write writes a row group and empties it.
func (p *parquetWriter) write(g *rowGroup) error {
	if p.file == nil {
		if err := p.begin(g); err != nil {
			return fmt.Errorf("begin parquet file: %w", err)
		}
	}
	if err := p.writeGroup(g); err != nil {
		return fmt.Errorf("write row group: %w", err)
	}
	for _, c := range g.typed {
		if c.unfit {
			p.unfit[c.name] = true
		}
	}
	g.reset()
	return nil
}

func (p *parquetWriter) begin(g *rowGroup) error {
	p.unfit = map[string]bool{}
	props := []parquet.WriterProperty{
		parquet.WithVersion(parquet.V2_6),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCompression(compress.Codecs.Snappy),
		parquet.WithDictionaryDefault(false),
		parquet.WithStatsFor("fields_json", false), // nobody compares whole rows
		// Pages are ended after so many rows at the earliest: a mebibyte of large ones.
		parquet.WithBatchSize(int64(min(1024, 1+g.len()<<20/max(1, g.bytes)))),
	}
	var nodes schema.FieldList
	for _, c := range g.columns() {
		node, err := c.node()
		if err != nil {
			return err
		}
		nodes = append(nodes, node)
		if c.repeats() {
			props = append(props, parquet.WithDictionaryFor(c.name, true))
		}
		if c.bloom && g.len() > 1 { // of one row the statistics say all
			// Without a count the filter would take a megabyte in every file.
			props = append(props,
				parquet.WithBloomFilterEnabledFor(c.name, true),
				parquet.WithBloomFilterFPPFor(c.name, 0.01),
				parquet.WithBloomFilterNDVFor(c.name, int64(max(1, g.len()))))
		}
	}
	props = append(props, p.settle...)
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return err
	}
	p.file, err = file.NewParquetWriterWithError(p.out, root, file.WithWriterProps(parquet.NewWriterProperties(props...)))
	return err
}

func (p *parquetWriter) writeGroup(g *rowGroup) error {
	group, err := p.file.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for _, c := range g.columns() {
		chunk, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := c.write(chunk); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
		if err := chunk.Close(); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	return group.Close()
}

func (p *parquetWriter) finish() error {
	var unfit []Value
	for _, name := range slices.Sorted(maps.Keys(p.unfit)) {
		unfit = append(unfit, String(name))
	}
	if len(unfit) > 0 {
		if err := p.file.AppendKeyValueMetadata(unfitKey, string(raw(Array(unfit...)))); err != nil {
			return fmt.Errorf("write parquet metadata: %w", err)
		}
	}
	if err := p.file.Close(); err != nil {
		return fmt.Errorf("write parquet footer: %w", err)
	}
	return nil
}
