// ontosqlDefineMoments adds ontosql_moments to the aggregates of every connection; it is
// not 0 where the engine refused.
int ontosqlDefineMoments(void *connection);
