package duckdb

// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_malloc -Wl,--wrap=duckdb_je_realloc -Wl,--wrap=duckdb_je_free
// #include "heap.h"
import "C"

// giveHeap adds to the bytes that the engines of the process may take together.
func giveHeap(bytes int64) { C.ontosqlGiveHeap(C.int64_t(bytes)) }
