package format

// arena keeps copies of texts until it is emptied, in blocks that are used
// again.
type arena struct {
	blocks [][]byte // filled up to their lengths, those behind last are empty
	last   int
}

// Sizes of the blocks, from the first on twice as large each. A text that would
// fill a good part of the largest has memory of its own.
const (
	leastBlock   = 4 << 10
	largestBlock = 1 << 20
)

// room has space for n bytes behind its length.
func (a *arena) room(n int) *[]byte {
	for {
		if a.last == len(a.blocks) {
			size := min(leastBlock<<min(a.last, 16), largestBlock)
			a.blocks = append(a.blocks, make([]byte, 0, max(n, size)))
		}
		if b := &a.blocks[a.last]; cap(*b)-len(*b) >= n {
			return b
		}
		a.last++
	}
}

// keep is a copy of a text.
func keep[T string | []byte](a *arena, text T) []byte {
	if len(text) > largestBlock/4 {
		return append([]byte(nil), text...)
	}
	b := a.room(len(text))
	start := len(*b)
	*b = append(*b, text...)
	return (*b)[start:len(*b):len(*b)]
}

// empty forgets all texts.
func (a *arena) empty() {
	for i := range a.blocks {
		a.blocks[i] = a.blocks[i][:0]
	}
	a.last = 0
}
