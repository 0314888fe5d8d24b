// Package pages reads tables and indexes of a SQLite file by page, in a read transaction of
// SQLite (decision A43). It follows https://www.sqlite.org/fileformat2.html and returns
// ErrMalformed for a page that does not; the caller then reads the rows by SQL. It does not
// know the tables of an ontology.
package pages
