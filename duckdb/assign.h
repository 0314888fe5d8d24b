#include <stdint.h>

// ontosqlAssign and ontosqlReserve call functions of the engine's whose exceptions
// nobody would catch: 0 where there is no memory. valid says that the text is known to
// be UTF-8.
int ontosqlAssign(void *vector, uint64_t at, const char *text, uint64_t length, int valid);
int ontosqlReserve(void *vector, uint64_t capacity);
