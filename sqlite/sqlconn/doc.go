// Package sqlconn runs statements on connections of the SQLite library, opens a file for
// writing, and maps SQLite's result codes to the errors of the dictionary. It knows no
// table of an ontology.
package sqlconn
