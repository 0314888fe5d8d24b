package format

import (
	"context"
	"io"
)

// Batches calls each for the rows of a data file of size bytes, in file order, some thousand or
// some megabytes at a time. It reads the system columns only. The caller may keep a batch, whose
// rows share memory. The file may be of any size. The error is ErrDamagedFile for unreadable
// content, the context's cause, or the error of each unchanged.
func Batches(ctx context.Context, r io.ReaderAt, size int64, each func([]Row) error) error {
	d, err := openRows(r, size)
	if err != nil {
		return err
	}
	defer d.close()
	for group := range d.reader.NumRowGroups() {
		columns, err := d.systemReaders(group)
		if err != nil {
			return err
		}
		most := d.batchRows(group)
		for left := d.reader.MetaData().RowGroup(group).NumRows(); left > 0; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			batch := make([]Row, min(left, most))
			if err := d.safeBatch(batch, columns); err != nil {
				return err
			}
			if err := each(batch); err != nil {
				return err
			}
			left -= int64(len(batch))
		}
	}
	return nil
}

// batchRows is the number of rows of a row group that are read at a time: fewer than
// columnBatchRows if they are large.
func (p *parquetFile) batchRows(group int) int64 {
	const most = 4 << 20 // bytes
	g := p.reader.MetaData().RowGroup(group)
	row := g.TotalByteSize()/max(g.NumRows(), 1) + 1
	return max(1, min(most/max(row, 1), columnBatchRows))
}

func openRows(r io.ReaderAt, size int64) (p *parquetFile, err error) {
	defer recoverDamage(&err)
	return readParquet(io.NewSectionReader(r, 0, size))
}

// systemReaders opens the system columns of a row group by name.
func (p *parquetFile) systemReaders(group int) (columns map[string]*columnReader, err error) {
	defer recoverDamage(&err)
	columns = map[string]*columnReader{}
	for _, name := range systemColumns(p.kind) {
		if name == "entity_type" || name == "relation_type" {
			continue
		}
		if columns[name], err = p.column(group, name); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// safeBatch is a function of its own so that a panic of a caller's function is not reported as
// a damaged file.
func (p *parquetFile) safeBatch(batch []Row, columns map[string]*columnReader) (err error) {
	defer recoverDamage(&err)
	return p.readBatch(batch, columns)
}
