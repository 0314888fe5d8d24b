package format

import (
	"encoding/binary"
	"io"

	"github.com/ontosql/ontosql"
)

// Extent is what the footer of a data file says of its rows.
type Extent struct {
	Rows int64
	// MinCommit and MaxCommit are the range of commit_id, 0 if the footer does not say it.
	MinCommit, MaxCommit ontosql.CommitID
}

// ReadExtent reads the footer of a data file of size bytes. The error is ErrDamagedFile, or that
// of r.
func ReadExtent(r io.ReaderAt, size int64) (x Extent, err error) {
	defer recoverDamage(&err)
	p, err := openRows(r, size)
	if err != nil {
		return Extent{}, err
	}
	defer p.close()
	x.Rows = p.reader.NumRows()
	for group := range p.reader.NumRowGroups() {
		bounds, ok := p.bounds(group, commitColumn)
		if !ok || len(bounds[0]) != 8 || len(bounds[1]) != 8 {
			return Extent{Rows: x.Rows}, nil
		}
		low, high := ontosql.CommitID(binary.LittleEndian.Uint64(bounds[0])), ontosql.CommitID(binary.LittleEndian.Uint64(bounds[1]))
		if x.MinCommit == 0 || low < x.MinCommit {
			x.MinCommit = low
		}
		x.MaxCommit = max(x.MaxCommit, high)
	}
	return x, nil
}
