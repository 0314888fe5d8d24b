// Package hba decides how a client may come in: it reads files in the form of PostgreSQL's
// pg_hba.conf and pg_ident.conf (manual, 21.1 and 21.2) and finds the first line that fits a
// connection. It opens no file, checks no password and knows no socket.
package hba
