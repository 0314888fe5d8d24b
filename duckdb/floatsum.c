#include "floatsum.h"

#include <math.h>
#include <stdint.h>

// The part of duckdb.h that is used here.
enum { typeDouble = 11 };

void *duckdb_create_aggregate_function(void);
void duckdb_destroy_aggregate_function(void **function);
void duckdb_aggregate_function_set_name(void *function, const char *name);
void duckdb_aggregate_function_add_parameter(void *function, void *type);
void duckdb_aggregate_function_set_return_type(void *function, void *type);
void duckdb_aggregate_function_set_functions(void *function, uint64_t (*size)(void *), void (*init)(void *, void *), void (*update)(void *, void *, void **),
                                             void (*combine)(void *, void **, void **, uint64_t), void (*finalize)(void *, void **, void *, uint64_t, uint64_t));
void duckdb_aggregate_function_set_error(void *info, const char *error);
int duckdb_register_aggregate_function(void *connection, void *function);
void *duckdb_create_logical_type(int type);
void duckdb_destroy_logical_type(void **type);
void *duckdb_data_chunk_get_vector(void *chunk, uint64_t col);
uint64_t duckdb_data_chunk_get_size(void *chunk);
void *duckdb_vector_get_data(void *vector);
uint64_t *duckdb_vector_get_validity(void *vector);
void duckdb_vector_ensure_validity_writable(void *vector);
void duckdb_validity_set_row_invalid(uint64_t *validity, uint64_t row);

// sum is that of some numbers, and whether one of them was infinite: else a sum that is has
// overflowed.
typedef struct {
	double sum;
	uint8_t any, infinite;
} sum;

static uint64_t size(void *info) { return sizeof(sum); }

static void init(void *info, void *state) { *(sum *)state = (sum){0, 0, 0}; }

static void update(void *info, void *chunk, void **states) {
	void *vector = duckdb_data_chunk_get_vector(chunk, 0);
	const double *data = duckdb_vector_get_data(vector);
	uint64_t n = duckdb_data_chunk_get_size(chunk), *valid = duckdb_vector_get_validity(vector);
	for (uint64_t i = 0; i < n;) { // rows of one state after each other are added up beside it
		sum *to = states[i], s = *to;
		for (; i < n && states[i] == to; i++) {
			if (valid && !(valid[i / 64] >> (i % 64) & 1))
				continue;
			s.sum += data[i];
			s.any = 1;
			s.infinite |= isinf(data[i]) != 0;
		}
		*to = s;
	}
}

static void combine(void *info, void **sources, void **targets, uint64_t count) {
	for (uint64_t i = 0; i < count; i++) {
		const sum *from = sources[i];
		sum *to = targets[i];
		to->sum += from->sum;
		to->any |= from->any;
		to->infinite |= from->infinite;
	}
}

static void finalize(void *info, void **states, void *result, uint64_t count, uint64_t offset) {
	double *data = duckdb_vector_get_data(result);
	for (uint64_t i = 0; i < count; i++) {
		const sum *s = states[i];
		data[offset + i] = s->sum;
		if (!s->any) {
			duckdb_vector_ensure_validity_writable(result);
			duckdb_validity_set_row_invalid(duckdb_vector_get_validity(result), offset + i);
		} else if (isinf(s->sum) && !s->infinite) {
			duckdb_aggregate_function_set_error(info, "[22003] value out of range: overflow");
			return;
		}
	}
}

int ontosqlDefineFloatSum(void *connection) {
	void *function = duckdb_create_aggregate_function(), *number = duckdb_create_logical_type(typeDouble);
	duckdb_aggregate_function_set_name(function, "ontosql_float_sum");
	duckdb_aggregate_function_add_parameter(function, number);
	duckdb_aggregate_function_set_return_type(function, number);
	duckdb_aggregate_function_set_functions(function, size, init, update, combine, finalize);
	int refused = duckdb_register_aggregate_function(connection, function);
	duckdb_destroy_logical_type(&number);
	duckdb_destroy_aggregate_function(&function);
	return refused;
}
