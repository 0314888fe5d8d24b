#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

extern "C" {
#include "heap.h"

// DuckDB allocates its blocks, vectors and texts with its own jemalloc, under this prefix.
// The linker's --wrap option redirects the calls to the functions below (decision A46).
void *__real_duckdb_je_malloc(size_t size) __attribute__((weak));
void *__real_duckdb_je_realloc(void *at, size_t size) __attribute__((weak));
void __real_duckdb_je_free(void *at) __attribute__((weak));
size_t duckdb_je_nallocx(size_t size, int flags) __attribute__((weak));
size_t duckdb_je_malloc_usable_size(const void *at) __attribute__((weak));

// left is the number of bytes that can still be allocated. One block may take at most half
// of it, so that small allocations succeed while a large one of another statement fails.
static std::atomic<int64_t> left;

// counted is the size from which blocks are counted.
static const size_t counted = 64 << 10;

static bool room(int64_t have, size_t size) { return have > 0 && size <= static_cast<size_t>(have) / 2; }

static bool take(size_t size) {
	if (size < counted)
		return true;
	int64_t have = left.load();
	do {
		if (!room(have, size))
			return false;
	} while (!left.compare_exchange_weak(have, have - static_cast<int64_t>(size)));
	return true;
}

static void give(size_t size) {
	if (size >= counted)
		left += static_cast<int64_t>(size);
}

// taken returns the allocated size of a block, up to a quarter more than requested.
static size_t taken(size_t size) { return size < counted / 2 ? size : duckdb_je_nallocx(size, 0); }

static size_t takenBy(void *at) { return at ? duckdb_je_malloc_usable_size(at) : 0; }

void *__wrap_duckdb_je_malloc(size_t size) {
	size_t n = taken(size);
	if (!take(n))
		return nullptr; // DuckDB throws an exception
	void *at = __real_duckdb_je_malloc(size);
	if (!at)
		give(n);
	return at;
}

void *__wrap_duckdb_je_realloc(void *at, size_t size) {
	size_t before = takenBy(at), n = taken(size);
	if (!take(n))
		return nullptr;
	void *moved = __real_duckdb_je_realloc(at, size);
	give(moved ? before : n);
	return moved;
}

void __wrap_duckdb_je_free(void *at) {
	give(takenBy(at));
	__real_duckdb_je_free(at);
}

void ontosqlGiveHeap(int64_t bytes) { left += bytes; }
}

// alone is the size from which C++ allocations (operator new) need room too, although they
// are not counted: lists that DuckDB rebuilds for each row of a batch. No text that a
// client can send is that long, so that no uncaught exception is thrown.
static const size_t alone = 128 << 20;

// The C++ standard lets a program replace this operator.
void *operator new(size_t size) {
	if (size < alone || room(left.load(), size))
		if (void *at = std::malloc(size ? size : 1))
			return at;
	throw std::bad_alloc();
}
