// ontosqlDefineFloatSum adds ontosql_float_sum to the aggregates of every connection; it is
// not 0 where the engine refused.
int ontosqlDefineFloatSum(void *connection);
