extern "C" {
#include "assign.h"

void duckdb_vector_assign_string_element_len(void *vector, uint64_t at, const char *text, uint64_t length);
void duckdb_unsafe_vector_assign_string_element_len(void *vector, uint64_t at, const char *text, uint64_t length);
int duckdb_list_vector_reserve(void *vector, uint64_t capacity);

int ontosqlAssign(void *vector, uint64_t at, const char *text, uint64_t length, int valid) {
	try {
		if (valid)
			duckdb_unsafe_vector_assign_string_element_len(vector, at, text, length);
		else
			duckdb_vector_assign_string_element_len(vector, at, text, length);
		return 1;
	} catch (...) {
		return 0;
	}
}

int ontosqlReserve(void *vector, uint64_t capacity) {
	try {
		return duckdb_list_vector_reserve(vector, capacity) == 0;
	} catch (...) {
		return 0;
	}
}
}
