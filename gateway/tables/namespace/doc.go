// Package namespace finds the ordinary tables and views that a statement names and locks them, as
// PostgreSQL's namespace.c does. It checks and chooses the names that a statement gives, and
// collects what depends on the objects that a statement drops (PostgreSQL's dependency.c).
package namespace
