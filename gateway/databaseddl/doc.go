// Package databaseddl runs CREATE, ALTER and DROP DATABASE and COMMENT ON DATABASE: what they change is
// a record of the name service (decision A78), at once and never as part of a transaction. The
// stores of databases are made by the gateway (database.Names).
package databaseddl
