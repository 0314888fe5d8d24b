package duckdb

// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_malloc -Wl,--wrap=duckdb_je_realloc -Wl,--wrap=duckdb_je_free
// #include "heap.h"
import "C"

// addHeap adds to the bytes that the engines of the process may take together.
func addHeap(bytes int64) { C.ontosqlGiveHeap(C.int64_t(bytes)) }
