package pages

import (
	"errors"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// SQLite takes a microsecond for a row of a statement, ten times what it takes to find
// the row's values in its page. So whole tables and indexes are read by page (decision
// A43): SQLite gives the pages of the read transaction (sqlite_dbpage), whatever its
// log and its locks are about, and what lies in them is told here, by the rules of
// https://www.sqlite.org/fileformat2.html. What is not as it must be is errOddPage, and
// then SQLite itself reads the rows and says what is wrong with them.

var ErrMalformed = errors.New("a page is not what it must be")

// Pages are those of the file as a read transaction has them.
type Pages struct {
	read   func(no uint32, into []byte) error // fills a buffer of size bytes
	Close  func()                             // with the transaction, at the latest
	Size   int
	usable int               // bytes of a page
	count  int               // of the file
	inner  map[uint32][]byte // those inside trees
}

// New makes Pages of count pages of size bytes, of which usable hold content; read
// fills a buffer with one of them, from 1 on.
func New(size, usable, count int, read func(no uint32, into []byte) error) *Pages {
	return &Pages{inner: map[uint32][]byte{}, read: read, Close: func() {}, Size: size, usable: usable, count: count}
}

// Open are the pages that a connection sees in its read transaction. The caller
// closes them.
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
