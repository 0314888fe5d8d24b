package pages

import (
	"encoding/binary"
	"math"
)

// Payload returns the part of a payload that is in the cell; next is the first overflow page,
// 0 for none.
func (p *Pages) Payload(cell []byte, size uint64, index bool) (local []byte, next uint32, err error) {
	most := p.usable - 35
	if index {
		most = (p.usable-12)*64/255 - 23
	}
	if size > math.MaxInt32 {
		return nil, 0, ErrMalformed
	}
	if n := int(size); n <= most {
		if n > len(cell) {
			return nil, 0, ErrMalformed
		}
		return cell[:n], 0, nil
	}
	least := (p.usable-12)*32/255 - 23
	n := least + (int(size)-least)%(p.usable-4)
	if n > most {
		n = least
	}
	if n+4 > len(cell) {
		return nil, 0, ErrMalformed
	}
	return cell[:n], binary.BigEndian.Uint32(cell[n:]), nil
}

// Whole returns a payload including its overflow pages.
func (p *Pages) Whole(local []byte, next uint32, size uint64) ([]byte, error) {
	if next == 0 {
		return local, nil
	}
	if int64(size) > int64(p.count)*int64(p.Size) {
		return nil, ErrMalformed
	}
	all := append(make([]byte, 0, size), local...)
	page := make([]byte, p.Size)
	for len(all) < int(size) {
		if err := p.get(next, page); err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(page)
		all = append(all, page[4:min(p.usable, 4+int(size)-len(all))]...)
	}
	return all, nil
}
