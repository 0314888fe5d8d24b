package duckdb

// #include "assign.h"
import "C"

import (
	"fmt"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/pgerr"
)

// errOutOfMemory is the error of what the engine has no memory for.
var errOutOfMemory = pgerr.New(pgerr.OutOfMemory, "out of memory")

// assign makes the engine keep a text or bytes at a place of a vector. One that is not
// UTF-8 is NULL, unless valid says that it is.
func assign(vec raw.Vector, at int, text []byte, valid bool) error {
	known := C.int(0)
	if valid {
		known = 1
	}
	if C.ontosqlAssign(vec.Ptr, C.uint64_t(at), (*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.uint64_t(len(text)), known) == 0 {
		return errOutOfMemory
	}
	return nil
}

// resize makes the lists of a vector have so many elements together.
func resize(vec raw.Vector, elements int) error {
	if C.ontosqlReserve(vec.Ptr, C.uint64_t(elements)) == 0 {
		return errOutOfMemory
	}
	if raw.ListVectorSetSize(vec, raw.IdxT(elements)) == raw.StateError {
		return fmt.Errorf("list of %d elements is refused", elements)
	}
	return nil
}
