#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

extern "C" {
#include "heap.h"

// The engine's blocks, vectors and texts come from jemalloc, which it has under this
// prefix where it has it; the linker gives it what is here instead (decision A46).
void *__real_duckdb_je_malloc(size_t size) __attribute__((weak));
void *__real_duckdb_je_realloc(void *at, size_t size) __attribute__((weak));
void __real_duckdb_je_free(void *at) __attribute__((weak));
size_t duckdb_je_nallocx(size_t size, int flags) __attribute__((weak));
size_t duckdb_je_malloc_usable_size(const void *at) __attribute__((weak));

// left is what may still be taken. A block takes half of it at most: who asks for little
// is served while another statement is refused.
static std::atomic<int64_t> left;

// counted are the least bytes of a block that counts.
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

// taken is what a block of a size takes: up to a quarter more.
static size_t taken(size_t size) { return size < counted / 2 ? size : duckdb_je_nallocx(size, 0); }

static size_t takenBy(void *at) { return at ? duckdb_je_malloc_usable_size(at) : 0; }

void *__wrap_duckdb_je_malloc(size_t size) {
	size_t n = taken(size);
	if (!take(n))
		return nullptr; // an exception of the engine's
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

// alone are the least bytes for which there must be room, though they do not count, in
// the memory of C++: lists of the engine's that it makes anew for each row of a batch. No
// text that a client may send is as long, so that no call fails which nobody catches.
static const size_t alone = 128 << 20;

// The standard lets a program have an operator of its own.
void *operator new(size_t size) {
	if (size < alone || room(left.load(), size))
		if (void *at = std::malloc(size ? size : 1))
			return at;
	throw std::bad_alloc();
}
