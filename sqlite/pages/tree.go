package pages

import (
	"encoding/binary"
	"math"
)

// The types of b-tree pages: their first byte.
const (
	innerIndex = 0x02
	innerTable = 0x05
	leafIndex  = 0x0a
	leafTable  = 0x0d
)

// mostDepth is SQLite's maximum depth of a b-tree.
const mostDepth = 20

// Leaf finds the leaf page of a table that contains an id, if the id exists. Its rows have ids
// in (low, high]. buffer returns memory for it.
func (p *Pages) Leaf(root uint32, id int64, buffer func(n int) []byte) (leaf Cells, low, high int64, err error) {
	low, high = math.MinInt64, math.MaxInt64
	no := root
	for range mostDepth {
		page := p.inner[no]
		if page == nil {
			page = buffer(p.Size)
			if err := p.get(no, page); err != nil {
				return Cells{}, 0, 0, err
			}
		}
		c, err := p.cells(page)
		if err != nil || c.kind == leafTable {
			return c, low, high, err
		}
		if c.kind != innerTable {
			return Cells{}, 0, 0, ErrMalformed
		}
		p.inner[no] = page
		if no, err = c.child(id, &low, &high); err != nil {
			return Cells{}, 0, 0, err
		}
	}
	return Cells{}, 0, 0, ErrMalformed
}

// Cells are the cells of a page.
type Cells struct {
	Page   []byte // usable part
	kind   byte
	Count  int
	places []byte // cell offsets, two bytes each
	right  uint32 // the rightmost child of an interior page
}

// cells decodes the header of a page.
func (p *Pages) cells(page []byte) (Cells, error) {
	page = page[:p.usable]
	c := Cells{Page: page, kind: page[0], Count: int(binary.BigEndian.Uint16(page[3:]))}
	head := 8
	if c.kind == innerTable || c.kind == innerIndex {
		head = 12
		c.right = binary.BigEndian.Uint32(page[8:])
	}
	if head+2*c.Count > len(page) {
		return Cells{}, ErrMalformed
	}
	c.places = page[head : head+2*c.Count]
	return c, nil
}

// Cell returns the page from cell i on.
func (c *Cells) Cell(i int) ([]byte, error) {
	place := int(binary.BigEndian.Uint16(c.places[2*i:]))
	if place < 8+len(c.places) || place > len(c.Page)-4 {
		return nil, ErrMalformed
	}
	return c.Page[place:], nil
}

// key returns the greatest id below the child of cell i.
func (c *Cells) key(i int) (int64, error) {
	cell, err := c.Cell(i)
	if err != nil {
		return 0, err
	}
	key, n := Varint(cell[4:])
	if n == 0 {
		return 0, ErrMalformed
	}
	return int64(key), nil
}

// child returns the child that contains an id of (low, high], and narrows these bounds.
func (c *Cells) child(id int64, low, high *int64) (uint32, error) {
	from, to := 0, c.Count // the first key that is not less than id
	below, above := *low, *high
	for from < to {
		i := (from + to) / 2
		key, err := c.key(i)
		if err != nil || key <= below || key > above {
			return 0, ErrMalformed
		}
		if key < id {
			from, below = i+1, key
		} else {
			to, above = i, key
		}
	}
	*low, *high = below, above
	if from == c.Count {
		return c.right, nil
	}
	cell, err := c.Cell(from)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(cell), nil
}
