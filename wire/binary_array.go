package wire

import (
	"fmt"
	"strconv"

	"github.com/ontosql/ontosql/pgerr"
)

// maxArrayDimensions is MAXDIM of PostgreSQL.
const maxArrayDimensions = 6

// maxArraySize is MaxArraySize of PostgreSQL, in elements.
const maxArraySize = 1<<27 - 1

// firstOID is FirstGenbkiObjectId of PostgreSQL: OIDs below it are the same in all databases.
const firstOID = 10_000

// array is array_recv. Lower bounds other than 1 are dropped, because the engine's lists have
// none.
func (r *binaryReader) array(dst []byte, elem uint32) []byte {
	dimensions := r.u32()
	switch {
	case r.err != nil:
		return dst
	case int32(dimensions) < 0:
		r.fail("invalid number of dimensions: " + strconv.Itoa(int(int32(dimensions))))
	case dimensions > maxArrayDimensions:
		r.failAs(pgerr.ProgramLimitExceeded, fmt.Sprintf("number of array dimensions (%d) exceeds the maximum allowed (%d)", dimensions, maxArrayDimensions))
	}
	if flags := r.u32(); flags > 1 { // the flag for NULLs, which the lengths of the elements repeat
		r.fail("invalid array flags")
	}
	// OIDs of user-defined types differ between databases.
	if got := r.u32(); got != elem && got < firstOID && r.err == nil {
		r.err = pgerr.New(pgerr.DatatypeMismatch,
			"binary data has array element type %d (%s) instead of expected %d (%s)", got, typeName(got), elem, typeName(elem))
	}
	var lengths []int
	elements := int64(1)
	for range min(dimensions, maxArrayDimensions) {
		length := int(int32(r.u32()))
		r.u32()
		lengths = append(lengths, length)
		if elements *= int64(length); length < 0 || elements > maxArraySize {
			r.failAs(pgerr.ProgramLimitExceeded, fmt.Sprintf("array size exceeds the maximum allowed (%d)", maxArraySize))
			return dst
		}
	}
	if len(lengths) == 0 {
		return append(dst, "{}"...)
	}
	return r.dimension(dst, elem, lengths)
}

func (r *binaryReader) dimension(dst []byte, elem uint32, lengths []int) []byte {
	// Each element takes at least four bytes, so the size of the message limits their number.
	if r.err == nil && lengths[0] > len(r.rest)/4 {
		r.err = errProtocol("insufficient data left in message")
	}
	if r.err != nil {
		return dst
	}
	dst = append(dst, '{')
	for i := 0; i < lengths[0] && r.err == nil; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		if len(lengths) > 1 {
			dst = r.dimension(dst, elem, lengths[1:])
			continue
		}
		dst = r.element(dst, elem)
	}
	return append(dst, '}')
}

func (r *binaryReader) element(dst []byte, elem uint32) []byte {
	length := int(int32(r.u32()))
	if length == -1 {
		return append(dst, "NULL"...)
	}
	sub := binaryReader{rest: r.take(length), encoding: r.encoding}
	if r.err != nil {
		return dst
	}
	start := len(dst)
	dst = quoteElement(sub.value(dst, elem), start)
	if sub.err == nil && len(sub.rest) > 0 {
		sub.fail("improper binary format in array element")
	}
	r.err = sub.err
	return dst
}
