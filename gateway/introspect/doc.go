// Package introspect is what the gateway and an ontology tell about themselves: the
// relations of the schema ontosql (commits, types, the query log, the mirror, long work
// that goes on and others) and the relations of pg_catalog whose rows change while sessions
// run (pg_stat_activity, pg_stat_database, pg_stat_ssl). A Source is what they are computed
// from, for one session. An Activity is what a session shows of itself to others, and an
// Account measures a statement for the query log.
//
// The package executes no SQL and keeps no session. The tables of pg_catalog that depend
// on the catalog alone are in package pgcatalog.
package introspect
