// Package writelock reads, takes and renews the row of the table locks, which is the write
// lock that the original library respects too (COMPAT 4.3).
package writelock
