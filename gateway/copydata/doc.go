// Package copydata reads what COPY needs besides its rows' destination: its options with
// PostgreSQL's checks, the values of its data into batches of a table's columns, and the
// line of the data that each row begins on. It executes no COPY and stores nothing.
package copydata
