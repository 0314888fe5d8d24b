#include "function.h"

#include <stdlib.h>

void duckdb_scalar_function_set_init(void *function, void (*init)(void *));
void duckdb_scalar_function_init_get_client_context(void *info, void **context);
void duckdb_scalar_function_init_set_state(void *info, void *state, void (*destroy)(void *));
void *duckdb_scalar_function_get_state(void *info);
uint64_t duckdb_client_context_get_connection_id(void *context);
void duckdb_destroy_client_context(void **context);

static void init(void *info) {
	void *context;
	duckdb_scalar_function_init_get_client_context(info, &context);
	int64_t *caller = malloc(sizeof *caller);
	*caller = duckdb_client_context_get_connection_id(context);
	duckdb_destroy_client_context(&context);
	duckdb_scalar_function_init_set_state(info, caller, free);
}

void ontosqlKnowCaller(void *function) { duckdb_scalar_function_set_init(function, init); }

int64_t ontosqlCaller(void *info) { return *(int64_t *)duckdb_scalar_function_get_state(info); }
