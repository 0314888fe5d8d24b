// Package bulk writes a history with given commit ids and times to a SQLite file. It also
// reads and writes event data as the objects of a bucket.
package bulk
