package format

import "encoding/binary"

// thriftWriter writes Thrift's compact protocol, which Parquet uses for page headers and the
// footer. Fields must be written in the order of their ids, and ids must differ by less than
// sixteen.
type thriftWriter struct {
	out  []byte
	last []int // for each open struct, the id of the last field
}

// Field types of the protocol.
const (
	thriftTrue   = 1
	thriftInt32  = 5
	thriftInt64  = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

func (c *thriftWriter) field(id int, kind byte) {
	last := &c.last[len(c.last)-1]
	c.out = append(c.out, byte(id-*last)<<4|kind)
	*last = id
}

func (c *thriftWriter) int32(id, n int) {
	c.field(id, thriftInt32)
	c.out = binary.AppendVarint(c.out, int64(n))
}

func (c *thriftWriter) int64(id int, n int64) {
	c.field(id, thriftInt64)
	c.out = binary.AppendVarint(c.out, n)
}

// yes writes a boolean field that is true.
func (c *thriftWriter) yes(id int) { c.field(id, thriftTrue) }

func (c *thriftWriter) text(id int, text string) {
	c.field(id, thriftBinary)
	c.listText(text)
}

// listText writes a text as a list element.
func (c *thriftWriter) listText(text string) {
	c.out = append(binary.AppendUvarint(c.out, uint64(len(text))), text...)
}

// list begins a list of n elements.
func (c *thriftWriter) list(id int, kind byte, n int) {
	c.field(id, thriftList)
	if n < 15 {
		c.out = append(c.out, byte(n)<<4|kind)
		return
	}
	c.out = binary.AppendUvarint(append(c.out, 15<<4|kind), uint64(n))
}

// begin begins a struct that is a field. open begins a struct that is a list element or the whole
// value. end ends both.
func (c *thriftWriter) begin(id int) {
	c.field(id, thriftStruct)
	c.open()
}

func (c *thriftWriter) open() { c.last = append(c.last, 0) }

func (c *thriftWriter) end() {
	c.out = append(c.out, 0)
	c.last = c.last[:len(c.last)-1]
}

// emptyUnion writes a union whose member is an empty struct.
func (c *thriftWriter) emptyUnion(id, member int) {
	c.begin(id)
	c.begin(member)
	c.end()
	c.end()
}
