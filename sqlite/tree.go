package sqlite

import (
	"encoding/binary"
	"math"
)

// The kinds of pages of a tree, which are their first byte.
const (
	innerIndex = 0x02
	innerTable = 0x05
	leafIndex  = 0x0a
	leafTable  = 0x0d
)

// mostDepth is SQLite's.
const mostDepth = 20

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
