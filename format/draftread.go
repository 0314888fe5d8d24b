package format

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// Identities calls each for the rows of the draft in their order, with their
// identities alone, until it returns false. f holds what WriteDraft wrote, with a
// number or without.
func (d *Draft) Identities(f io.ReaderAt, each func(*Row) bool) (err error) {
	defer rescue(&err)
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	props.BufferedStreamEnabled = true
	p := &parquetFile{leaf: map[string]int{}}
	if p.reader, err = file.NewParquetReader(io.NewSectionReader(f, 0, d.Size), file.WithReadProps(props)); err != nil {
		return fmt.Errorf("%w: %w", ErrDamagedFile, err)
	}
	defer p.close()
	if err := p.describe(); err != nil {
		return err
	}
	more := true
	for group := 0; more && group < p.reader.NumRowGroups(); group++ {
		err := p.readIdentities(group, func(r *Row) { more = more && each(r) })
		if err != nil {
			return err
		}
	}
	return nil
}
