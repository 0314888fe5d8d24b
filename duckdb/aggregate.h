// Declarations of duckdb.h for aggregate functions.
#include <stdint.h>

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
