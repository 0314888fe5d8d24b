// ontosqlDefineMoments registers the aggregate ontosql_moments for all connections. It
// returns a value other than 0 on failure.
int ontosqlDefineMoments(void *connection);
