// ontosqlDefineRegressions registers statistical aggregates of double precision for
// all connections. It returns a value other than 0 on failure.
int ontosqlDefineRegressions(void *connection);
