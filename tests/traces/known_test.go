package traces

// known are the answers that differ: a part of PostgreSQL's frame, a part of ours. One
// that no longer differs is taken off the list.
var known = []struct{ session, postgres, ours, reason string }{
	{"psql", `"Message":"null value in column`, `"Where":"row 1, column`, "a write of many rows says which row"},
	{"psql-18", `"Message":"null value in column`, `"Where":"row 1, column`, "a write of many rows says which row"},
	{"psql", `"CommandTag":"DROP TABLE"`, `"Code":"55000"`, "a type with rows has a history, which goes only on demand"},
	{"psql-18", `"CommandTag":"DROP TABLE"`, `"Code":"55000"`, "a type with rows has a history, which goes only on demand"},
}
