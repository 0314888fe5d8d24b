// ontosqlDefineRegressions adds the statistics of double precisions to the aggregates of
// every connection; it is not 0 where the engine refused.
int ontosqlDefineRegressions(void *connection);
