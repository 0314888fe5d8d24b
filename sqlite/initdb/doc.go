// Package initdb makes an empty ontology in a SQLite file, and upgrades the tables of a file
// that an older version of the original library made.
package initdb
