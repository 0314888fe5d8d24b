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

// ErrDamagedFile means that a Parquet file is not a valid data file. The caller adds the key of the
// object.
var ErrDamagedFile = errors.New("damaged parquet file")

// maxPage is the largest accepted page size in bytes. Pages have about 1 MiB, unless a single row
// is larger.
const maxPage = 1 << 30

// columnBatchRows is the number of rows that are read at a time.
const columnBatchRows = 4096

// parquetFile is an open local data file.
type parquetFile struct {
	reader    *file.Reader
	kind      ontosql.Kind
	columns   []ColumnFact   // top-level columns in their order
	leafIndex map[string]int // position of each top-level primitive column among the leaves
}

// openParquet opens a data file and reads its columns. The caller closes it.
func openParquet(path string) (*parquetFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() { // also after a panic
		if !opened {
			f.Close()
		}
	}()
	p, err := readParquet(f)
	opened = err == nil
	return p, err
}

// readParquet is openParquet for an open file.
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
	props.MaxCompressedPageSize = props.MaxUncompressedPageSize + 1<<16 // incompressible data grows a little
	return p, nil
}

// largestPage returns an upper bound of the page size from the footer, so that a damaged page
// header cannot cause a huge allocation.
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

// recoverDamage converts a panic to ErrDamagedFile. The Parquet library panics on some damaged
// files, because it uses numbers from the file as indexes.
func recoverDamage(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", ErrDamagedFile, r)
	}
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamagedFile, fmt.Sprintf(format, args...))
}

// describe reads the columns, finds out whether the file is of an entity or a relation type, and
// checks that the system columns exist.
func (p *parquetFile) describe() error {
	meta := p.reader.MetaData()
	unfit := p.unfitColumns()
	root := meta.Schema.Root()
	for i := range root.NumFields() {
		node := root.Field(i)
		fact := ColumnFact{Name: node.Name(), Kind: p.storedKind(node)}
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
	// A field may have the name of the other kind's key column. System columns precede fields, so
	// the first match decides.
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

// ours reports whether this program wrote the file.
func (p *parquetFile) ours() bool {
	return strings.HasPrefix(p.reader.MetaData().GetCreatedBy(), creator)
}

// storedKind returns the kind of a top-level column. Native columns are those of this program's
// files: in a file that the original merged, they are NULL in the rows of other files.
func (p *parquetFile) storedKind(node schema.Node) ColumnKind {
	kind := kindOf(node)
	leaf, ok := node.(*schema.PrimitiveNode)
	if kind != KindOther || !ok || !p.ours() {
		return kind
	}
	if native := nativeKind(leaf); isNativeColumn(node.Name(), native) {
		return native
	}
	return KindOther
}

// plain returns the value of Facts.Plain.
func (p *parquetFile) plain() bool {
	meta := p.reader.MetaData()
	return p.ours() && meta.KeyValueMetadata().FindValue(notPlainKey) == nil
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

// kindOf returns the kind of a top-level column.
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

// kindOfColumn returns the kind of a top-level column by name. The column must exist.
func (p *parquetFile) kindOfColumn(name string) ColumnKind {
	i := slices.IndexFunc(p.columns, func(c ColumnFact) bool { return c.Name == name })
	return p.columns[i].Kind
}

// identityColumns returns the columns that identify a row.
func (p *parquetFile) identityColumns() []string {
	if p.kind == ontosql.Relation {
		return []string{"left_key", "right_key", "instance_key"}
	}
	return []string{"entity_key"}
}
