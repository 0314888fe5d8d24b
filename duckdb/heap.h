#include <stdint.h>

// ontosqlGiveHeap adds to the number of bytes that all engines may allocate.
void ontosqlGiveHeap(int64_t bytes);
