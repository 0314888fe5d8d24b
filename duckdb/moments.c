#include "moments.h"
#include "aggregate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Further declarations of duckdb.h.
enum { typeSmallInt = 3, typeInteger = 4, typeBigInt = 5, typeHugeInt = 16, typeVarchar = 17, typeDecimal = 19, typeAny = 34 };
int duckdb_get_type_id(void *type);
uint8_t duckdb_decimal_scale(void *type);
int duckdb_decimal_internal_type(void *type);
void *duckdb_vector_get_column_type(void *vector);
void duckdb_vector_assign_string_element(void *vector, uint64_t index, const char *text);

// moments are the count of numbers, their sum in two's complement and the sum of their
// squares, in units of 10^-scale. Both sums have the lowest word first.
// No possible number of rows overflows them.
typedef struct {
	uint64_t n, scale, sum[3], squares[5];
} moments;

static void add(uint64_t *to, const uint64_t *x, int words) {
	unsigned __int128 carry = 0;
	for (int i = 0; i < words; i++) {
		carry += (unsigned __int128)to[i] + x[i];
		to[i] = (uint64_t)carry;
		carry >>= 64;
	}
}

static void addNumber(moments *m, __int128 v) {
	uint64_t negative = v < 0 ? ~(uint64_t)0 : 0;
	uint64_t x[3] = {(uint64_t)v, (uint64_t)(v >> 64), negative};
	m->n++;
	add(m->sum, x, 3);
	unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	uint64_t low = (uint64_t)u, high = (uint64_t)(u >> 64);
	unsigned __int128 p = (unsigned __int128)low * low;
	uint64_t square[5] = {(uint64_t)p, (uint64_t)(p >> 64)};
	add(m->squares, square, 5);
	if (!high)
		return;
	p = (unsigned __int128)low * high;
	uint64_t twice[5] = {0, (uint64_t)p << 1, (uint64_t)(p >> 63), (uint64_t)(p >> 127)};
	add(m->squares, twice, 5);
	p = (unsigned __int128)high * high;
	uint64_t top[5] = {0, 0, (uint64_t)p, (uint64_t)(p >> 64)};
	add(m->squares, top, 5);
}

static uint64_t size(void *info) { return sizeof(moments); }

static void init(void *info, void *state) { memset(state, 0, sizeof(moments)); }

static void update(void *info, void *chunk, void **states) {
	void *vector = duckdb_data_chunk_get_vector(chunk, 0), *type = duckdb_vector_get_column_type(vector);
	int id = duckdb_get_type_id(type);
	uint64_t scale = 0;
	if (id == typeDecimal) {
		scale = duckdb_decimal_scale(type);
		id = duckdb_decimal_internal_type(type);
	}
	duckdb_destroy_logical_type(&type);
	const void *data = duckdb_vector_get_data(vector);
	uint64_t n = duckdb_data_chunk_get_size(chunk), *valid = duckdb_vector_get_validity(vector);
	for (uint64_t i = 0; i < n; i++) {
		if (valid && !(valid[i / 64] >> (i % 64) & 1))
			continue;
		moments *m = states[i];
		m->scale = scale;
		const uint64_t *huge = (const uint64_t *)data + 2 * i;
		switch (id) {
		case typeSmallInt:
			addNumber(m, ((const int16_t *)data)[i]);
			break;
		case typeInteger:
			addNumber(m, ((const int32_t *)data)[i]);
			break;
		case typeBigInt:
			addNumber(m, ((const int64_t *)data)[i]);
			break;
		case typeHugeInt:
			addNumber(m, (__int128)((unsigned __int128)huge[1] << 64 | huge[0]));
			break;
		default:
			duckdb_aggregate_function_set_error(info, "ontosql_moments takes integers and decimals");
			return;
		}
	}
}

static void combine(void *info, void **sources, void **targets, uint64_t count) {
	for (uint64_t i = 0; i < count; i++) {
		const moments *from = sources[i];
		moments *to = targets[i];
		if (from->n)
			to->scale = from->scale;
		to->n += from->n;
		add(to->sum, from->sum, 3);
		add(to->squares, from->squares, 5);
	}
}

// print appends a blank and a number, without zeros before it, and returns the end.
static char *print(char *to, const uint64_t *words, int n) {
	while (n > 1 && !words[n - 1])
		n--;
	to += sprintf(to, " %" PRIx64, words[n - 1]);
	while (--n > 0)
		to += sprintf(to, "%016" PRIx64, words[n - 1]);
	return to;
}

// finalize prints the numbers.
static void finalize(void *info, void **states, void *result, uint64_t count, uint64_t offset) {
	char text[256];
	for (uint64_t i = 0; i < count; i++) {
		const moments *m = states[i];
		char *end = text + sprintf(text, "%" PRIx64 " %" PRIx64, m->n, m->scale);
		print(print(end, m->sum, 3), m->squares, 5);
		duckdb_vector_assign_string_element(result, offset + i, text);
	}
}

int ontosqlDefineMoments(void *connection) {
	void *function = duckdb_create_aggregate_function(), *any = duckdb_create_logical_type(typeAny), *varchar = duckdb_create_logical_type(typeVarchar);
	duckdb_aggregate_function_set_name(function, "ontosql_moments");
	duckdb_aggregate_function_add_parameter(function, any);
	duckdb_aggregate_function_set_return_type(function, varchar);
	duckdb_aggregate_function_set_functions(function, size, init, update, combine, finalize);
	int refused = duckdb_register_aggregate_function(connection, function);
	duckdb_destroy_logical_type(&any);
	duckdb_destroy_logical_type(&varchar);
	duckdb_destroy_aggregate_function(&function);
	return refused;
}
