package format

import (
	"encoding/binary"
	"math/bits"
)

// runGroup is the minimum number of equal values in an RLE run, and the number of values in a
// group of a bit-packed run.
const runGroup = 8

// appendHybrid appends numbers below 2^width in Parquet's RLE/bit-packing hybrid encoding, which
// is used for levels and dictionary indexes.
func appendHybrid(dst []byte, numbers []uint32, width int) []byte {
	packed := 0 // the numbers from here on are not written yet
	for at := 0; at < len(numbers); {
		run := at + 1
		for run < len(numbers) && numbers[run] == numbers[at] {
			run++
		}
		// A bit-packed run has a multiple of eight numbers, except at the end.
		start := min(at+(runGroup-(at-packed)%runGroup)%runGroup, run)
		if run-start >= runGroup {
			dst = appendPacked(dst, numbers[packed:start], width)
			dst = appendRun(dst, numbers[start], run-start, width)
			packed = run
		}
		at = run
	}
	return appendPacked(dst, numbers[packed:], width)
}

func appendRun(dst []byte, number uint32, n, width int) []byte {
	dst = binary.AppendUvarint(dst, uint64(n)<<1)
	for ; width > 0; width -= 8 {
		dst = append(dst, byte(number))
		number >>= 8
	}
	return dst
}

func appendPacked(dst []byte, numbers []uint32, width int) []byte {
	if len(numbers) == 0 {
		return dst
	}
	eights := (len(numbers) + runGroup - 1) / runGroup
	dst = binary.AppendUvarint(dst, uint64(eights)<<1|1)
	var word uint64
	filled := 0
	for i := range eights * runGroup {
		if i < len(numbers) {
			word |= uint64(numbers[i]) << filled
		}
		for filled += width; filled >= 8; filled -= 8 {
			dst = append(dst, byte(word))
			word >>= 8
		}
	}
	return dst
}

// widthOf returns the number of bits for numbers below n, at least one.
func widthOf(n int) int { return bits.Len(uint(max(n-1, 1))) }
