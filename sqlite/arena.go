package sqlite

import lite "zombiezen.com/go/sqlite"

// arena is memory for texts that are all given up at once.
type arena struct {
	blocks [][]byte
	block  int // that is being filled
	free   []byte
	used   int
}

// Blocks double from the first, which is enough for a look-up, to the most.
const (
	firstBlock = 1 << 10
	mostBlock  = 256 << 10
)

func (a *arena) reset() { a.block, a.free, a.used = -1, nil, 0 }

// take is a copy of a column's bytes.
func (a *arena) take(row *lite.Stmt, col int) []byte {
	text := a.bytes(row.ColumnLen(col))
	row.ColumnBytes(col, text)
	return text
}

// bytes is memory for a text of so many.
func (a *arena) bytes(n int) []byte {
	a.used += n
	for n > len(a.free) {
		if n > mostBlock/4 {
			return make([]byte, n)
		}
		if a.block++; a.block == len(a.blocks) {
			a.blocks = append(a.blocks, make([]byte, min(firstBlock<<a.block, mostBlock)))
		}
		a.free = a.blocks[a.block]
	}
	text := a.free[:n:n]
	a.free = a.free[n:]
	return text
}
