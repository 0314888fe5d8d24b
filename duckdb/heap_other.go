//go:build !linux

package duckdb

// giveHeap does nothing: only the engine for Linux has an allocator of its own.
func giveHeap(int64) {}
