#include <stdint.h>

// ontosqlKnowCaller makes a scalar function know the connection that calls it.
void ontosqlKnowCaller(void *function);

// ontosqlCaller is the number of that connection.
int64_t ontosqlCaller(void *info);
