package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
	lite "zombiezen.com/go/sqlite"
)

// SQLite takes a microsecond for a row of a statement, ten times what it takes to find
// the row's values in its page. So whole tables and indexes are read by page (decision
// A43): SQLite gives the pages of the read transaction (sqlite_dbpage), whatever its
// log and its locks are about, and what lies in them is told here, by the rules of
// https://www.sqlite.org/fileformat2.html. What is not as it must be is errOddPage, and
// then SQLite itself reads the rows and says what is wrong with them.

var errOddPage = errors.New("a page is not what it must be")

// pages are those of the file as a read transaction has them.
type pages struct {
	read   func(no uint32, into []byte) error // fills a buffer of size bytes
	close  func()                             // with the transaction, at the latest
	size   int
	usable int               // bytes of a page
	count  int               // of the file
	inner  map[uint32][]byte // those inside trees
}

// The kinds of pages of a tree, which are their first byte.
const (
	innerIndex = 0x02
	innerTable = 0x05
	leafIndex  = 0x0a
	leafTable  = 0x0d
)

// mostDepth is SQLite's.
const mostDepth = 20

// pagesOf are the pages that a connection sees in its read transaction. The caller
// closes them.
func pagesOf(c *lite.Conn, file openFile) (*pages, error) {
	p := &pages{inner: map[uint32][]byte{}, close: func() {}}
	for name, n := range map[string]*int{"page_size": &p.size, "page_count": &p.count} {
		value, err := sqlconn.Pragma(c, name)
		if err != nil {
			return nil, err
		}
		*n = int(value)
	}
	if p.size < 512 || p.size > 65536 {
		return nil, errOddPage
	}
	stmt, err := c.Prepare("SELECT data FROM sqlite_dbpage WHERE pgno = ?")
	if err != nil {
		return nil, err
	}
	p.read = func(no uint32, into []byte) error { return readPage(stmt, no, into) }
	first := make([]byte, p.size)
	if err := p.read(1, first); err != nil {
		return nil, err
	}
	p.usable = p.size - int(first[20])
	if p.usable < 480 {
		return nil, errOddPage
	}
	if d := directOf(file, p.size); d != nil {
		p.read, p.close = d.read, d.close
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
		return errOddPage
	}
	return nil
}

// leaf finds the leaf of a table in which the row with an id is, if there is one. Its
// rows have ids in (low, high]. buffer gives memory for it.
func (p *pages) leaf(root uint32, id int64, buffer func(n int) []byte) (leaf cells, low, high int64, err error) {
	low, high = math.MinInt64, math.MaxInt64
	no := root
	for range mostDepth {
		page := p.inner[no]
		if page == nil {
			page = buffer(p.size)
			if err := p.get(no, page); err != nil {
				return cells{}, 0, 0, err
			}
		}
		c, err := p.cells(page)
		if err != nil || c.kind == leafTable {
			return c, low, high, err
		}
		if c.kind != innerTable {
			return cells{}, 0, 0, errOddPage
		}
		p.inner[no] = page
		if no, err = c.child(id, &low, &high); err != nil {
			return cells{}, 0, 0, err
		}
	}
	return cells{}, 0, 0, errOddPage
}

// get reads a page of a tree.
func (p *pages) get(no uint32, into []byte) error {
	if no < 2 || int64(no) > int64(p.count) {
		return errOddPage
	}
	return p.read(no, into)
}

// cells are those of a page.
type cells struct {
	page   []byte // as far as it is usable
	kind   byte
	n      int
	places []byte // of the cells, two bytes each
	right  uint32 // the last child of a page inside a tree
}

// cells looks at the head of a page.
func (p *pages) cells(page []byte) (cells, error) {
	page = page[:p.usable]
	c := cells{page: page, kind: page[0], n: int(binary.BigEndian.Uint16(page[3:]))}
	head := 8
	if c.kind == innerTable || c.kind == innerIndex {
		head = 12
		c.right = binary.BigEndian.Uint32(page[8:])
	}
	if head+2*c.n > len(page) {
		return cells{}, errOddPage
	}
	c.places = page[head : head+2*c.n]
	return c, nil
}

// at is cell i to the end of its page.
func (c *cells) at(i int) ([]byte, error) {
	place := int(binary.BigEndian.Uint16(c.places[2*i:]))
	if place < 8+len(c.places) || place > len(c.page)-4 {
		return nil, errOddPage
	}
	return c.page[place:], nil
}

// key is the greatest id below the child that is cell i.
func (c *cells) key(i int) (int64, error) {
	cell, err := c.at(i)
	if err != nil {
		return 0, err
	}
	key, n := varint(cell[4:])
	if n == 0 {
		return 0, errOddPage
	}
	return int64(key), nil
}

// child is the child in which an id of (low, high] is, which become its bounds.
func (c *cells) child(id int64, low, high *int64) (uint32, error) {
	from, to := 0, c.n // the first key that is not less than id
	below, above := *low, *high
	for from < to {
		i := (from + to) / 2
		key, err := c.key(i)
		if err != nil || key <= below || key > above {
			return 0, errOddPage
		}
		if key < id {
			from, below = i+1, key
		} else {
			to, above = i, key
		}
	}
	*low, *high = below, above
	if from == c.n {
		return c.right, nil
	}
	cell, err := c.at(from)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(cell), nil
}

// payload is what a cell holds of so many bytes; the rest is on pages of their own, of
// which next is the first, 0 for none.
func (p *pages) payload(cell []byte, size uint64, index bool) (local []byte, next uint32, err error) {
	most := p.usable - 35
	if index {
		most = (p.usable-12)*64/255 - 23
	}
	if size > math.MaxInt32 {
		return nil, 0, errOddPage
	}
	if n := int(size); n <= most {
		if n > len(cell) {
			return nil, 0, errOddPage
		}
		return cell[:n], 0, nil
	}
	least := (p.usable-12)*32/255 - 23
	n := least + (int(size)-least)%(p.usable-4)
	if n > most {
		n = least
	}
	if n+4 > len(cell) {
		return nil, 0, errOddPage
	}
	return cell[:n], binary.BigEndian.Uint32(cell[n:]), nil
}

// whole is a payload of so many bytes, with what is on other pages.
func (p *pages) whole(local []byte, next uint32, size uint64) ([]byte, error) {
	if next == 0 {
		return local, nil
	}
	if int64(size) > int64(p.count)*int64(p.size) {
		return nil, errOddPage
	}
	all := append(make([]byte, 0, size), local...)
	page := make([]byte, p.size)
	for len(all) < int(size) {
		if err := p.get(next, page); err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(page)
		all = append(all, page[4:min(p.usable, 4+int(size)-len(all))]...)
	}
	return all, nil
}

// mostEntry bounds the bytes of an entry of an index.
const mostEntry = 64 << 10

// eachEntry gives visit the records of an index, in no order. Each is valid until visit
// returns. The pages are read in a goroutine of their own meanwhile.
func (p *pages) eachEntry(root uint32, visit func(payload []byte) error) error {
	r := &entryReader{pages: p, left: p.count, free: make(chan *entries, 2), full: make(chan *entries, 2), stop: make(chan struct{})}
	for range cap(r.free) {
		r.free <- new(entries)
	}
	go r.read(root)
	var err error
	for e := range r.full { // until the reader has ended
		for _, payload := range e.payloads {
			if err != nil {
				break
			}
			if err = visit(payload); err != nil {
				close(r.stop)
			}
		}
		r.free <- e
	}
	if err != nil {
		return err
	}
	return r.failed
}

// entryReader reads an index for another goroutine.
type entryReader struct {
	*pages
	left       int      // pages, so that a circle ends
	filled     *entries // that are being filled
	free, full chan *entries
	stop       chan struct{} // closed when no more are wanted
	failed     error         // stands when full is closed
}

// entries are records of an index, and pages that they lie in.
type entries struct {
	payloads [][]byte
	memory   arena
}

// manyEntries is how many are handed over together.
const manyEntries = 4096

var errStopped = errors.New("no more entries are wanted")

func (r *entryReader) read(root uint32) {
	defer close(r.full)
	if r.failed = r.begin(); r.failed != nil {
		return
	}
	if r.failed = r.walk(root, 0); r.failed == nil {
		r.full <- r.filled
	}
}

// begin begins to fill others.
func (r *entryReader) begin() error {
	select {
	case r.filled = <-r.free:
		r.filled.payloads = r.filled.payloads[:0]
		r.filled.memory.reset()
		return nil
	case <-r.stop:
		return errStopped
	}
}

// walk reads the entries of a page and of those below it.
func (r *entryReader) walk(no uint32, depth int) error {
	if r.left--; r.left < 0 || depth == mostDepth {
		return errOddPage
	}
	if len(r.filled.payloads) >= manyEntries {
		r.full <- r.filled
		if err := r.begin(); err != nil {
			return err
		}
	}
	page := r.filled.memory.bytes(r.size)
	if err := r.get(no, page); err != nil {
		return err
	}
	c, err := r.cells(page)
	if err != nil || c.kind != leafIndex && c.kind != innerIndex {
		return errOddPage
	}
	if c.kind == innerIndex {
		// The memory goes with the entries of the first child.
		if c, err = r.cells(bytes.Clone(page)); err != nil {
			return err
		}
	}
	for i := range c.n {
		cell, err := c.at(i)
		if err != nil {
			return err
		}
		if c.kind == innerIndex {
			if err := r.walk(binary.BigEndian.Uint32(cell), depth+1); err != nil {
				return err
			}
			cell = cell[4:]
		}
		size, n := varint(cell)
		if n == 0 {
			return errOddPage
		}
		local, next, err := r.payload(cell[n:], size, true)
		if err != nil || size > mostEntry {
			return errOddPage
		}
		payload, err := r.whole(local, next, size)
		if err != nil {
			return err
		}
		r.filled.payloads = append(r.filled.payloads, payload)
	}
	if c.kind == innerIndex {
		return r.walk(c.right, depth+1)
	}
	return nil
}

// varint reads one of SQLite's integers; n is 0 where it does not end.
func varint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	for i := range min(len(b), 8) {
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	if len(b) < 9 {
		return 0, 0
	}
	return v<<8 | uint64(b[8]), 9
}

// field is a value of a record: its serial type and where it lies in the payload.
type field struct {
	serial   uint64
	from, to int
}

// fields finds the first values of a record, as many as fit. n is how many there are;
// the payload may end before some of them.
func fields(payload []byte, into []field) (n int, err error) {
	size, at := varint(payload)
	if at == 0 || size > uint64(len(payload)) || size < uint64(at) {
		return 0, errOddPage
	}
	head, body := payload[:size], int(size)
	for at < len(head) && n < len(into) {
		serial, k := varint(head[at:])
		if k == 0 {
			return 0, errOddPage
		}
		at += k
		length := 0
		switch {
		case serial >= 12:
			if serial > math.MaxInt32 {
				return 0, errOddPage
			}
			length = int(serial-12) / 2
		case serial == 10 || serial == 11:
			return 0, errOddPage
		default:
			length = int(serialBytes[serial])
		}
		into[n] = field{serial, body, body + length}
		body += length
		n++
	}
	return n, nil
}

// serialBytes is how long the values of the serial types below 12 are.
var serialBytes = [12]uint8{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}

// integer is a field's value, ok is false where it is none.
func (f field) integer(payload []byte) (v int64, ok bool) {
	switch {
	case f.serial == 8 || f.serial == 9:
		return int64(f.serial) - 8, true
	case f.serial == 0 || f.serial > 6 || f.to > len(payload):
		return 0, false
	}
	b := payload[f.from:f.to]
	v = int64(int8(b[0]))
	for _, c := range b[1:] {
		v = v<<8 | int64(c)
	}
	return v, true
}

// text is a field's value, ok is false where it is none.
func (f field) text(payload []byte) (text []byte, ok bool) {
	if f.serial < 13 || f.serial%2 == 0 || f.to > len(payload) {
		return nil, false
	}
	return payload[f.from:f.to:f.to], true
}

// null reports whether a field is NULL.
func (f field) null() bool { return f.serial == 0 }
