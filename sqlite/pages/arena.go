package pages

import lite "zombiezen.com/go/sqlite"

// Arena is memory for texts that are freed together.
type Arena struct {
	blocks [][]byte
	block  int // current block
	free   []byte
	Used   int
}

// Blocks double from the first, which is enough for a look-up, to the most.
const (
	firstBlock = 1 << 10
	mostBlock  = 256 << 10
)

// Reset frees all texts and reuses their memory.
func (a *Arena) Reset() { a.block, a.free, a.Used = -1, nil, 0 }

// Column returns a copy of a column's bytes.
func (a *Arena) Column(row *lite.Stmt, col int) []byte {
	text := a.Bytes(row.ColumnLen(col))
	row.ColumnBytes(col, text)
	return text
}

// Bytes returns memory of the given length.
func (a *Arena) Bytes(n int) []byte {
	a.Used += n
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
