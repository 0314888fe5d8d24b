package format

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/ontosql/ontosql"
)

// DataFile is the content of a data file, column by column, including typed columns. It is for
// programs that check a store; readers of rows use Inspect and ReadRows. It holds no file open
// and need not be closed.
type DataFile struct {
	file    *parquetFile
	columns []DataColumn
}

// DataColumn is one top-level column of a DataFile.
type DataColumn struct {
	Name string
	// Field is the field whose value the column has. It is Name, except for a native column.
	Field string
	Kind  ColumnKind // as stored, even if the footer says that the column is unreliable
	// Unfit is true if the footer lists the column as unreliable: it has NULL where fields_json
	// has a value of another type.
	Unfit bool
}

// OpenDataFile reads the footer of a data file that is in memory. body must not change while the
// DataFile is in use. The error is ErrDamagedFile, also if a system column is missing or has a
// nested type.
func OpenDataFile(body []byte) (d *DataFile, err error) {
	defer recoverDamage(&err)
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	p := &parquetFile{leafIndex: map[string]int{}}
	if p.reader, err = file.NewParquetReader(bytes.NewReader(body), file.WithReadProps(props)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamagedFile, err)
	}
	if err := p.describe(); err != nil {
		return nil, err
	}
	props.MaxUncompressedPageSize = p.largestPage()
	props.MaxCompressedPageSize = props.MaxUncompressedPageSize + 1<<16
	d = &DataFile{file: p}
	unfit := p.unfitColumns()
	root := p.reader.MetaData().Schema.Root()
	for i := range p.columns {
		p.columns[i].Kind = p.storedKind(root.Field(i)) // describe sets KindOther for unfit columns
		field, native := NativeField(p.columns[i].Name, p.columns[i].Kind)
		if !native {
			field = p.columns[i].Name
		}
		d.columns = append(d.columns, DataColumn{
			Name:  p.columns[i].Name,
			Field: field,
			Kind:  p.columns[i].Kind,
			Unfit: slices.Contains(unfit, p.columns[i].Name),
		})
	}
	// commit_id has no NULLs, so it limits the number of rows. A footer can claim any number of
	// NULLs.
	if p.kindOfColumn("commit_id") != KindInt64 {
		return nil, damaged("column commit_id is not of integers")
	}
	return d, nil
}

// Columns returns the columns in file order.
func (d *DataFile) Columns() []DataColumn { return d.columns }

// Ignore makes Scan treat a column as one of KindOther, which is not read.
func (d *DataFile) Ignore(column string) {
	for i := range d.columns {
		if d.columns[i].Name == column {
			d.columns[i].Kind = KindOther
		}
	}
}

// DamagedColumnError is an ErrDamagedFile of a column that cannot be read.
type DamagedColumnError struct {
	Column string
	Err    error
}

func (e *DamagedColumnError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *DamagedColumnError) Unwrap() error { return e.Err }

// Rows returns the number of rows according to the footer.
func (d *DataFile) Rows() int64 { return d.file.reader.NumRows() }

// Scan calls visit for batches of a few thousand rows, in file order. batch[i] has the values of
// column i, NULL as null and the values of a native column as fields_json has them, and is nil for
// a column of KindOther. The batch is valid only during
// the call. Errors are ErrDamagedFile, the context's cause, or the error of visit unchanged.
func (d *DataFile) Scan(ctx context.Context, visit func(batch [][]Value) error) error {
	batch := make([][]Value, len(d.columns))
	for group := range d.file.reader.NumRowGroups() {
		readers, err := d.open(group)
		if err != nil {
			return err
		}
		for left := d.file.reader.MetaData().RowGroup(group).NumRows(); left > 0; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			n := int(min(left, columnBatchRows))
			if err := readValues(batch, readers, n); err != nil {
				return err
			}
			if err := visit(batch); err != nil {
				return err
			}
			left -= int64(n)
		}
	}
	return nil
}

// open opens the columns of a row group. The reader of a column of KindOther is nil.
func (d *DataFile) open(group int) (readers []*columnReader, err error) {
	defer recoverDamage(&err)
	readers = make([]*columnReader, len(d.columns))
	for i, c := range d.columns {
		if c.Kind == KindOther {
			continue
		}
		if readers[i], err = d.file.column(group, c.Name); err != nil {
			return nil, &DamagedColumnError{c.Name, err}
		}
	}
	return readers, nil
}

// readValues fills the batch with the next n values of every column.
func readValues(batch [][]Value, readers []*columnReader, n int) (err error) {
	for i, c := range readers {
		if c == nil {
			continue
		}
		if batch[i], err = c.safeValues(batch[i][:0], n); err != nil {
			return &DamagedColumnError{c.name, err}
		}
	}
	return nil
}

// safeValues is values without panics.
func (c *columnReader) safeValues(dst []Value, n int) (values []Value, err error) {
	defer recoverDamage(&err)
	return c.values(dst, n)
}

// values appends the next n values to dst.
func (c *columnReader) values(dst []Value, n int) ([]Value, error) {
	count, err := c.read(n)
	if err != nil {
		return nil, err
	}
	next := 0
	for i := range n {
		if c.null(i) {
			dst = append(dst, Null())
			continue
		}
		if next >= count {
			return nil, damaged("column %s has fewer values than levels", c.name)
		}
		switch c.kind {
		case KindString:
			dst = append(dst, String(string(c.strs[next])))
		case KindInt64:
			dst = append(dst, Int(c.ints[next]))
		case KindDouble:
			dst = append(dst, Float(c.floats[next]))
		case KindBool:
			dst = append(dst, Bool(c.bools[next]))
		default:
			v, err := c.nativeValue(next)
			if err != nil {
				return nil, damaged("column %s: %v", c.name, err)
			}
			dst = append(dst, v)
		}
		next++
	}
	return dst, nil
}

// SystemColumns returns the columns that every data file of a kind of type begins with, in their
// order (COMPAT 2.4).
func SystemColumns(kind ontosql.Kind) []string { return slices.Clone(systemColumns(kind)) }
