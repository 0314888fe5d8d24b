package query

import pg "github.com/pganalyze/pg_query_go/v6"

// IndexColumnName is the name PostgreSQL gives the column of an index that is an expression,
// "" for one that the expression does not suggest (FigureIndexColname in parse_target.c).
func IndexColumnName(n *pg.Node) string {
	name, _ := figure(n)
	return name
}
