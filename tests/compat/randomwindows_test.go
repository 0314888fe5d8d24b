package compat

// windowForms look at the rows around a row.
var windowForms = []string{
	"SELECT id, row_number() OVER (ORDER BY {int} NULLS FIRST, id), lag({date}) OVER (ORDER BY id) FROM tables ORDER BY id", "SELECT id, sum({int}) OVER (PARTITION BY ok ORDER BY id) FROM tables ORDER BY id", "SELECT id, {framed} FROM tables ORDER BY id", "SELECT id, {framed}, {framed} FROM tables WHERE {bool} ORDER BY id", "SELECT id, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w, ntile(3) OVER (w) FROM tables WINDOW w AS (PARTITION BY ok ORDER BY tier) ORDER BY tier, id, ok LIMIT 0",
	"SELECT id, rank() OVER (ORDER BY {any}), dense_rank() OVER (PARTITION BY {bool} ORDER BY {int} DESC) FROM tables ORDER BY id", "SELECT id, lead({any}, 2) OVER (ORDER BY id DESC), lag({int}, 1, {int}) OVER (PARTITION BY ok ORDER BY id) FROM tables ORDER BY id", "SELECT id, first_value({any}) OVER w, last_value({any}) OVER w, nth_value({any}, 2) OVER w FROM tables WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) ORDER BY id",
	"SELECT id, count(*) FILTER (WHERE {bool}) OVER (PARTITION BY tier ORDER BY id), string_agg(id, '') OVER (ORDER BY id) FROM tables ORDER BY id", "SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY {bool} ORDER BY {int}, id) AS n FROM tables) AS q WHERE n <= 2 ORDER BY id", "SELECT id, max({int}) OVER w2 FROM tables WINDOW w AS (PARTITION BY ok), w2 AS (w ORDER BY id) ORDER BY id", "SELECT id, array_agg(i) OVER (ORDER BY i NULLS FIRST, id ROWS 2 PRECEDING) FROM tables ORDER BY id",
	"SELECT id, ntile(1 + abs({int@-}) % 5) OVER (ORDER BY id), percent_rank() OVER (ORDER BY {text}), cume_dist() OVER (ORDER BY {int}) FROM tables ORDER BY id", "SELECT id FROM tables WHERE row_number() OVER () = 1", "SELECT id, sum({int}) OVER (ORDER BY d RANGE BETWEEN '1 year' PRECEDING AND '400 days' FOLLOWING) FROM tables ORDER BY id", "SELECT id, sum(i) OVER (ORDER BY n RANGE BETWEEN 10.5 PRECEDING AND CURRENT ROW) FROM tables ORDER BY id", "SELECT id, nth_value({text}, 3) OVER (ORDER BY id), sum(row_number() OVER (ORDER BY {int})) OVER () FROM tables ORDER BY id",
	"SELECT DISTINCT count(*) OVER (PARTITION BY {bool}) FROM tables ORDER BY 1", "SELECT id, avg({int}) OVER (PARTITION BY ok) FROM tables ORDER BY id", "SELECT id, count({any}) OVER (ORDER BY i GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE {exclusion}) FROM tables ORDER BY id",
}

var windowGrammar = map[string][]string{
	"framed": {
		"sum({int}) OVER (PARTITION BY {bool} ORDER BY id {frame})", "count({any}) OVER (ORDER BY id {frame})", "max({any}) OVER (ORDER BY i, id {frame})", "first_value({any}) OVER (ORDER BY id DESC {frame})", "last_value({any}) OVER (ORDER BY id {frame})", "avg({int}) OVER (PARTITION BY tier ORDER BY id {frame})", "nth_value({int}, 2) OVER (ORDER BY id {frame})", "bool_or({bool}) OVER (ORDER BY id {frame})", "min({text}) OVER (PARTITION BY ok ORDER BY {int}, id {frame})",
	},
}

var windowAtoms = map[string][]string{
	"framed": {"count(*) OVER ()"},
	"frame": {
		"", "ROWS UNBOUNDED PRECEDING", "ROWS 1 PRECEDING", "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING", "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING", "RANGE CURRENT ROW", "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "GROUPS 1 PRECEDING EXCLUDE TIES", "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW", "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP",
		"ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING", "ROWS BETWEEN CURRENT ROW AND 1 PRECEDING", "RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
	},
	"exclusion": {"CURRENT ROW", "GROUP", "TIES", "NO OTHERS"},
}
