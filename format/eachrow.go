package format

import (
	"context"
	"io"
)

// EachRow calls each for every row of a data file of size bytes, in file order. It reads the
// system columns only. The caller may keep a Row. The file may be of any size. The error is
// ErrDamagedFile for unreadable content, the context's cause, or the error of each unchanged.
func EachRow(ctx context.Context, r io.ReaderAt, size int64, each func(*Row) error) error {
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
		for left := d.reader.MetaData().RowGroup(group).NumRows(); left > 0; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			batch := make([]Row, min(left, columnBatchRows))
			if err := d.safeBatch(batch, columns); err != nil {
				return err
			}
			for i := range batch {
				if err := each(&batch[i]); err != nil {
					return err
				}
			}
			left -= int64(len(batch))
		}
	}
	return nil
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
