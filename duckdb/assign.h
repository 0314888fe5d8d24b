#include <stdint.h>

// ontosqlAssign and ontosqlReserve call functions of DuckDB and catch their C++ exceptions.
// They return 0 if there is no memory. valid is set if the text is known to
// be UTF-8.
int ontosqlAssign(void *vector, uint64_t at, const char *text, uint64_t length, int valid);
int ontosqlReserve(void *vector, uint64_t capacity);
