// Package ddlstmt reads statements of DDL: what CREATE TABLE defines, what ALTER TABLE changes,
// what DROP and COMMENT ON name. It checks what can be checked without the catalog.
// ScopeMigration resolves the query of the rows that an ALTER TABLE rewrites.
package ddlstmt
