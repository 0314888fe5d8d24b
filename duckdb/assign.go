package duckdb

// #include "assign.h"
import "C"

import (
	"fmt"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/pgerr"
)

// errOutOfMemory is returned if DuckDB cannot allocate memory.
var errOutOfMemory = pgerr.New(pgerr.OutOfMemory, "out of memory")

// assign copies a text or bytes into element at of a vector. Text that is not valid UTF-8
// becomes NULL; valid skips the check.
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

// resize sets the total number of elements of the lists of a vector.
func resize(vec raw.Vector, elements int) error {
	if C.ontosqlReserve(vec.Ptr, C.uint64_t(elements)) == 0 {
		return errOutOfMemory
	}
	if raw.ListVectorSetSize(vec, raw.IdxT(elements)) == raw.StateError {
		return fmt.Errorf("resize list to %d elements: DuckDB returned an error", elements)
	}
	return nil
}
