// Package objects keeps the records of a name service as JSON files in a bucket or a directory (seed
// 003, file-backed nameservice). A write replaces one file if nobody else has replaced it since it
// was read; a file that another concern shares and changed meanwhile is read and written again.
package objects
