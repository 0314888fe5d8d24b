// Package settings holds the run-time parameters of a session (PostgreSQL manual, chapter
// 20): the parameters that exist and their checks, the values a client has set, what a
// transaction or a savepoint does to them, and the rows of pg_settings. Values such as the
// time zone, the output style or the conflict action are read from here in the form that
// other rooms use. It executes no statement; the gateway answers SET, RESET and SHOW.
package settings
