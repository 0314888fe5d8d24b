// Package bulk writes a history that is known beforehand, with its commit ids and times,
// into a SQLite file. It also reads and writes event data as the objects of a bucket.
package bulk
