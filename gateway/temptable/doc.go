// Package temptable makes temporary tables of the engine, which spills them to disk: rows of
// portals and cursors that are read later, rows that RETURNING gives back at the end of its
// statement, and the names of the tables that other rooms make.
package temptable
