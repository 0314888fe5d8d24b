package format

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/ontosql/ontosql"
)

// A row group ends at so many rows, which is DuckDB's unit of parallel work,
// or so many bytes of JSON, which bounds the memory of a writer.
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
// int, float or bool. Rows are written in their order, in row groups, and an
// error of the sequence ends the file. Nothing is kept of a row once its group
// is written; until then its Fields must not change. w is not closed.
func WriteRows(w io.Writer, t ontosql.TypeRef, fields []SchemaField, rows iter.Seq2[Row, error]) (Written, error) {
	out := &countingWriter{w: w, hash: sha256.New()}
	g := newRowGroup(t, fields)
	p := &parquetWriter{out: out, group: g}
	for row, err := range rows {
		if err != nil {
			return Written{}, err
		}
		if err := g.add(row); err != nil {
			return Written{}, fmt.Errorf("row %d: %w", p.rows+int64(g.len()), err)
		}
		if g.full() {
			if err := p.flush(); err != nil {
				return Written{}, err
			}
		}
	}
	if g.len() > 0 || p.file == nil {
		if err := p.flush(); err != nil {
			return Written{}, err
		}
	}
	if err := p.finish(); err != nil {
		return Written{}, err
	}
	return Written{SHA256: hex.EncodeToString(out.hash.Sum(nil)), Size: out.size, Rows: p.rows}, nil
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
	out   io.Writer
	file  *file.Writer
	group *rowGroup
	rows  int64
}

func (p *parquetWriter) flush() error {
	if p.file == nil {
		if err := p.begin(); err != nil {
			return fmt.Errorf("begin parquet file: %w", err)
		}
	}
	if err := p.writeGroup(); err != nil {
		return fmt.Errorf("write row group: %w", err)
	}
	p.rows += int64(p.group.len())
	p.group.reset()
	return nil
}

func (p *parquetWriter) begin() error {
	props := []parquet.WriterProperty{
		parquet.WithVersion(parquet.V2_6),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCompression(compress.Codecs.Snappy),
		parquet.WithDictionaryDefault(false),
		parquet.WithStatsFor("fields_json", false), // nobody compares whole rows
	}
	var nodes schema.FieldList
	for _, c := range p.group.columns() {
		node, err := c.node()
		if err != nil {
			return err
		}
		nodes = append(nodes, node)
		if c.repeats() {
			props = append(props, parquet.WithDictionaryFor(c.name, true))
		}
		if c.bloom && p.group.len() > 1 { // of one row the statistics say all
			// Without a count the filter would take a megabyte in every file.
			props = append(props,
				parquet.WithBloomFilterEnabledFor(c.name, true),
				parquet.WithBloomFilterFPPFor(c.name, 0.01),
				parquet.WithBloomFilterNDVFor(c.name, int64(max(1, p.group.len()))))
		}
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return err
	}
	p.file, err = file.NewParquetWriterWithError(p.out, root, file.WithWriterProps(parquet.NewWriterProperties(props...)))
	return err
}

func (p *parquetWriter) writeGroup() error {
	group, err := p.file.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for _, c := range p.group.columns() {
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
	for _, c := range p.group.typed {
		if c.unfit {
			unfit = append(unfit, String(c.name))
		}
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
