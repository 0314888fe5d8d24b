#include "function.h"

#include <math.h>
#include <stddef.h>

void *duckdb_data_chunk_get_vector(void *chunk, uint64_t col);
uint64_t duckdb_data_chunk_get_size(void *chunk);
void *duckdb_vector_get_data(void *vector);
uint64_t *duckdb_vector_get_validity(void *vector);
void duckdb_vector_ensure_validity_writable(void *vector);
void duckdb_scalar_function_set_error(void *info, const char *error);

// both sets the result's validity mask: a row is NULL if either argument is NULL. It
// returns the mask, or NULL if all rows are valid.
static uint64_t *both(void *a, void *b, void *out, uint64_t n) {
	uint64_t *left = duckdb_vector_get_validity(a), *right = duckdb_vector_get_validity(b);
	if (!left && !right)
		return NULL;
	duckdb_vector_ensure_validity_writable(out);
	uint64_t *valid = duckdb_vector_get_validity(out);
	for (uint64_t i = 0; i < (n + 63) / 64; i++)
		valid[i] = (left ? left[i] : ~(uint64_t)0) & (right ? right[i] : ~(uint64_t)0);
	return valid;
}

// BINARY defines a function of two vectors of one type. compute sets r from x and y, or
// sets error.
#define BINARY(name, type, compute)                                                                                    \
	void name(void *info, void *chunk, void *out) {                                                                    \
		void *left = duckdb_data_chunk_get_vector(chunk, 0), *right = duckdb_data_chunk_get_vector(chunk, 1);          \
		uint64_t n = duckdb_data_chunk_get_size(chunk);                                                                \
		uint64_t *valid = both(left, right, out, n);                                                                   \
		const type *a = duckdb_vector_get_data(left), *b = duckdb_vector_get_data(right);                              \
		type *result = duckdb_vector_get_data(out);                                                                    \
		const char *error = NULL;                                                                                      \
		for (uint64_t i = 0; i < n && !error; i++) {                                                                   \
			if (valid && !(valid[i / 64] >> (i % 64) & 1))                                                             \
				continue;                                                                                              \
			type x = a[i], y = b[i], r = 0;                                                                            \
			compute result[i] = r;                                                                                     \
		}                                                                                                              \
		if (error)                                                                                                     \
			duckdb_scalar_function_set_error(info, error);                                                             \
	}

#define BY_ZERO "[22012] division by zero"

// The minimum integer / -1 overflows. Its remainder is 0, but the processor's division
// instruction traps.
#define DIVIDE(least, word)                                                                                            \
	if (y == 0)                                                                                                        \
		error = BY_ZERO;                                                                                               \
	else if (y == -1 && x == least)                                                                                    \
		error = "[22003] " word " out of range";                                                                       \
	else                                                                                                               \
		r = x / y;

#define REMAIN                                                                                                         \
	if (y == 0)                                                                                                        \
		error = BY_ZERO;                                                                                               \
	else if (y != -1)                                                                                                  \
		r = x % y;

// float8_div of PostgreSQL's float.h
#define DIVIDE_FLOATS                                                                                                  \
	r = x / y;                                                                                                         \
	if (y == 0 && !isnan(x))                                                                                           \
		error = BY_ZERO;                                                                                               \
	else if (isinf(r) && !isinf(x))                                                                                    \
		error = "[22003] value out of range: overflow";                                                                \
	else if (r == 0 && x != 0 && !isinf(y))                                                                            \
		error = "[22003] value out of range: underflow";

// float8_pl, float8_mi and float8_mul
#define ADD_FLOATS                                                                                                     \
	r = x + y;                                                                                                         \
	if (isinf(r) && !isinf(x) && !isinf(y))                                                                            \
		error = "[22003] value out of range: overflow";

#define SUBTRACT_FLOATS                                                                                                \
	r = x - y;                                                                                                         \
	if (isinf(r) && !isinf(x) && !isinf(y))                                                                            \
		error = "[22003] value out of range: overflow";

#define MULTIPLY_FLOATS                                                                                                \
	r = x * y;                                                                                                         \
	if (isinf(r) && !isinf(x) && !isinf(y))                                                                            \
		error = "[22003] value out of range: overflow";                                                                \
	else if (r == 0 && x != 0 && y != 0)                                                                               \
		error = "[22003] value out of range: underflow";

BINARY(ontosqlDivide16, int16_t, DIVIDE(INT16_MIN, "smallint"))
BINARY(ontosqlDivide32, int32_t, DIVIDE(INT32_MIN, "integer"))
BINARY(ontosqlDivide64, int64_t, DIVIDE(INT64_MIN, "bigint"))
BINARY(ontosqlRemain16, int16_t, REMAIN)
BINARY(ontosqlRemain32, int32_t, REMAIN)
BINARY(ontosqlRemain64, int64_t, REMAIN)
BINARY(ontosqlDivideFloat, float, DIVIDE_FLOATS)
BINARY(ontosqlDivideDouble, double, DIVIDE_FLOATS)
BINARY(ontosqlAddFloat, float, ADD_FLOATS)
BINARY(ontosqlAddDouble, double, ADD_FLOATS)
BINARY(ontosqlSubtractFloat, float, SUBTRACT_FLOATS)
BINARY(ontosqlSubtractDouble, double, SUBTRACT_FLOATS)
BINARY(ontosqlMultiplyFloat, float, MULTIPLY_FLOATS)
BINARY(ontosqlMultiplyDouble, double, MULTIPLY_FLOATS)
