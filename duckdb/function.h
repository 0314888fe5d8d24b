#include <stdint.h>

// ontosqlKnowCaller lets a scalar function find the connection that calls it.
void ontosqlKnowCaller(void *function);

// ontosqlCaller returns the id of that connection.
int64_t ontosqlCaller(void *info);
