#include <stdint.h>

// ontosqlGiveHeap adds to the bytes that the engines may take together.
void ontosqlGiveHeap(int64_t bytes);
