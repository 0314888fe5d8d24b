package format

import "encoding/binary"

// thriftWriter appends values in Thrift's compact protocol, in which Parquet spells
// the headers of pages and the footer. Fields come in the order of their ids, less
// than sixteen apart.
type thriftWriter struct {
	out  []byte
	last []int // the ids of the fields written last, of the structs that are open
}

// Types of fields, as the protocol numbers them.
const (
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

func (c *thriftWriter) text(id int, text string) {
	c.field(id, thriftBinary)
	c.listText(text)
}

// listText is a text in a list.
func (c *thriftWriter) listText(text string) {
	c.out = append(binary.AppendUvarint(c.out, uint64(len(text))), text...)
}

// list begins a list, whose n elements follow.
func (c *thriftWriter) list(id int, kind byte, n int) {
	c.field(id, thriftList)
	if n < 15 {
		c.out = append(c.out, byte(n)<<4|kind)
		return
	}
	c.out = binary.AppendUvarint(append(c.out, 15<<4|kind), uint64(n))
}

// begin begins a struct as a field, open one that is alone or in a list; end
// ends either.
func (c *thriftWriter) begin(id int) {
	c.field(id, thriftStruct)
	c.open()
}

func (c *thriftWriter) open() { c.last = append(c.last, 0) }

func (c *thriftWriter) end() {
	c.out = append(c.out, 0)
	c.last = c.last[:len(c.last)-1]
}

// emptyUnion is a union of which the member id is chosen, an empty struct.
func (c *thriftWriter) emptyUnion(id, member int) {
	c.begin(id)
	c.begin(member)
	c.end()
	c.end()
}
