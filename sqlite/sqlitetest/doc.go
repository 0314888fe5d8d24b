// Package sqlitetest gives tests the files of sqlite's rooms: fixtures of the original
// library, new files, and statements on them.
package sqlitetest
