#include <stdint.h>

// ontosqlDefineQuotients registers ontosql_quotient, ontosql_quotient_text and ontosql_quotient_scale for all
// connections.
// It returns a value other than 0 on failure.
int ontosqlDefineQuotients(void *connection);
