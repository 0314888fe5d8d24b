package pages

import (
	"errors"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// SQLite takes a microsecond per row in a statement, ten times the cost of decoding the row
// from its page. Whole tables and indexes are therefore read by page (decision A43): SQLite
// returns the pages of the read transaction (sqlite_dbpage), which takes the log and the locks
// into account.

// ErrMalformed is returned for a page that violates the file format. The caller reads the rows
// by SQL, and SQLite reports the damage.
var ErrMalformed = errors.New("a page is not what it must be")

// Pages are the pages of a file in a read transaction. They are not safe for concurrent use.
type Pages struct {
	read   func(no uint32, into []byte) error // fills a buffer of size bytes
	Close  func()                             // called before the transaction ends, at the latest
	Size   int                                // bytes of a page
	usable int                                // bytes of a page that hold content
	count  int                                // pages of the file
	inner  map[uint32][]byte                  // interior pages of trees that were read
}

// New returns Pages of count pages of size bytes, of which usable hold content; read reads
// page no, from 1 on, into a buffer.
func New(size, usable, count int, read func(no uint32, into []byte) error) *Pages {
	return &Pages{inner: map[uint32][]byte{}, read: read, Close: func() {}, Size: size, usable: usable, count: count}
}

// Open returns the pages that a connection sees in its read transaction. The caller closes
// them.
func Open(c *lite.Conn, file File) (*Pages, error) {
	var size, count int
	for name, n := range map[string]*int{"page_size": &size, "page_count": &count} {
		value, err := sqlconn.Pragma(c, name)
		if err != nil {
			return nil, err
		}
		*n = int(value)
	}
	if size < 512 || size > 65536 {
		return nil, ErrMalformed
	}
	stmt, err := c.Prepare("SELECT data FROM sqlite_dbpage WHERE pgno = ?")
	if err != nil {
		return nil, err
	}
	p := New(size, size, count, func(no uint32, into []byte) error { return readPage(stmt, no, into) })
	first := make([]byte, size)
	if err := p.read(1, first); err != nil {
		return nil, err
	}
	p.usable = size - int(first[20])
	if p.usable < 480 {
		return nil, ErrMalformed
	}
	if d := directOf(file, p.Size); d != nil {
		p.read, p.Close = d.read, d.close
	}
	return p, nil
}

func readPage(stmt *lite.Stmt, no uint32, into []byte) error {
	stmt.BindInt64(1, int64(no))
	found, err := stmt.Step()
	if err != nil {
		return err
	}
	n := 0
	if found {
		n = stmt.ColumnBytes(0, into)
	}
	if err := stmt.Reset(); err != nil {
		return err
	}
	if n != len(into) {
		return ErrMalformed
	}
	return nil
}

// get reads a page of a tree.
func (p *Pages) get(no uint32, into []byte) error {
	if no < 2 || int64(no) > int64(p.count) {
		return ErrMalformed
	}
	return p.read(no, into)
}
