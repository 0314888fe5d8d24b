package format

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/ontosql/ontosql"
)

// ErrDamagedFile: the content of a Parquet file is not what a data file of an
// ontology must be. The object's key is for the caller to add.
var ErrDamagedFile = errors.New("damaged parquet file")

// maxPage is the largest accepted page size in bytes. Pages have about 1 MiB, more only if
// single rows do.
const maxPage = 1 << 30

// columnBatchRows is how many values are read at a time.
const columnBatchRows = 4096

// parquetFile is an open local data file.
type parquetFile struct {
	reader  *file.Reader
	kind    ontosql.Kind
	columns []ColumnFact   // top-level columns in their order
	leafIndex    map[string]int // position of each top-level primitive column among the leaves
}

// openParquet opens a data file and looks at its columns. The caller closes it.
func openParquet(path string) (*parquetFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() { // after a panic too
		if !opened {
			f.Close()
		}
	}()
	p, err := readParquet(f)
	opened = err == nil
	return p, err
}

// readParquet is openParquet of what is open already.
func readParquet(r parquet.ReaderAtSeeker) (p *parquetFile, err error) {
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	props.BufferedStreamEnabled = true
	p = &parquetFile{leafIndex: map[string]int{}}
	if p.reader, err = file.NewParquetReader(r, file.WithReadProps(props)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamagedFile, err)
	}
	if err := p.describe(); err != nil {
		return nil, err
	}
	props.MaxUncompressedPageSize = p.largestPage()
	props.MaxCompressedPageSize = props.MaxUncompressedPageSize + 1<<16 // what does not compress grows a little
	return p, nil
}

// largestPage is the most bytes that a page can have by what the footer says,
// so that a damaged page header cannot ask for memory that the file never had.
func (p *parquetFile) largestPage() int64 {
	largest := int64(1)
	for group := range p.reader.NumRowGroups() {
		meta := p.reader.MetaData().RowGroup(group)
		for i := range meta.NumColumns() {
			if chunk, err := meta.ColumnChunk(i); err == nil {
				largest = max(largest, chunk.TotalUncompressedSize())
			}
		}
	}
	return min(largest, maxPage)
}

func (p *parquetFile) close() { p.reader.Close() }

// recoverDamage turns a panic into an error: the Parquet library indexes by numbers
// that it reads from the file.
func recoverDamage(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", ErrDamagedFile, r)
	}
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamagedFile, fmt.Sprintf(format, args...))
}

// describe lists the columns, tells an entity's file from a relation's, and
// checks that the system columns are there.
func (p *parquetFile) describe() error {
	meta := p.reader.MetaData()
	unfit := p.unfitColumns()
	root := meta.Schema.Root()
	for i := range root.NumFields() {
		node := root.Field(i)
		fact := ColumnFact{Name: node.Name(), Kind: kindOf(node)}
		if slices.Contains(unfit, fact.Name) {
			fact.Kind = KindOther
		}
		p.columns = append(p.columns, fact)
	}
	for i := range meta.Schema.NumColumns() {
		if c := meta.Schema.Column(i); len(c.ColumnPath()) == 1 && c.MaxDefinitionLevel() <= 1 && c.MaxRepetitionLevel() == 0 {
			p.leafIndex[c.Name()] = i
		}
	}
	// A field may have the other kind's key as its name; but fields come last.
	p.kind = ontosql.Entity
	first := slices.IndexFunc(p.columns, func(c ColumnFact) bool { return c.Name == "entity_key" || c.Name == "left_key" })
	if first >= 0 && p.columns[first].Name == "left_key" {
		p.kind = ontosql.Relation
	}
	for _, name := range systemColumns(p.kind) {
		if _, ok := p.leafIndex[name]; !ok {
			return damaged("column %s is missing", name)
		}
	}
	return nil
}

// plain is Facts.Plain.
func (p *parquetFile) plain() bool {
	meta := p.reader.MetaData()
	return strings.HasPrefix(meta.GetCreatedBy(), creator) && meta.KeyValueMetadata().FindValue(notPlainKey) == nil
}

func (p *parquetFile) unfitColumns() []string {
	text := p.reader.MetaData().KeyValueMetadata().FindValue(unfitKey)
	if text == nil {
		return nil
	}
	v, err := ParseJSON([]byte(*text))
	if err != nil {
		return nil
	}
	var names []string
	for _, item := range v.Items() {
		names = append(names, item.Text())
	}
	return names
}

// kindOf is the coarse kind of a top-level column.
func kindOf(node schema.Node) ColumnKind {
	leaf, ok := node.(*schema.PrimitiveNode)
	if !ok || leaf.RepetitionType() == parquet.Repetitions.Repeated {
		return KindOther
	}
	logical := leaf.LogicalType()
	if _, null := logical.(schema.NullLogicalType); null {
		return KindNull
	}
	plain := logical == nil || logical.IsNone()
	switch leaf.PhysicalType() {
	case parquet.Types.Boolean:
		if plain {
			return KindBool
		}
	case parquet.Types.Int64:
		if whole, ok := logical.(schema.IntLogicalType); plain || ok && whole.IsSigned() {
			return KindInt64
		}
	case parquet.Types.Double:
		if plain {
			return KindDouble
		}
	case parquet.Types.ByteArray:
		if _, text := logical.(schema.StringLogicalType); text {
			return KindString
		}
	}
	return KindOther
}

// kindOfColumn is the kind of a top-level column by name.
func (p *parquetFile) kindOfColumn(name string) ColumnKind {
	i := slices.IndexFunc(p.columns, func(c ColumnFact) bool { return c.Name == name })
	return p.columns[i].Kind
}

// identityColumns are the columns that make a row's identity.
func (p *parquetFile) identityColumns() []string {
	if p.kind == ontosql.Relation {
		return []string{"left_key", "right_key", "instance_key"}
	}
	return []string{"entity_key"}
}
