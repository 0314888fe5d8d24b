package scope

import "github.com/ontosql/ontosql/pgerr"

// MaxJoined limits the number of relations of one join. The engine chooses the join order
// before it runs the statement, does not check for a cancel meanwhile, and needs time that
// grows with the fourth power or worse. For customer c0 JOIN customer c1 USING (id) JOIN ... it
// was 0.2 s for 40 tables of its own, 1.4 s for 60, 5.8 s for 80 and 11 s for 100, and through
// the gateway on a busy machine of two cores 1.2 s for 40 and 5.2 s for 64.
const MaxJoined = 60

// CountJoins counts an item of FROM. A subquery counts what it joins, since the engine
// orders both together, and so does each mention of a WITH query.
func (b *State) CountJoins(n int, loc int32) {
	b.joined += n
	if b.joined > MaxJoined {
		b.Fail(pgerr.New(pgerr.StatementTooComplex, "statement joins too many relations").
			WithHint("At most %d relations can be joined, those of subqueries in FROM and of each mention of a WITH query included.", MaxJoined), loc)
	}
}

// CountApart resolves a query that is a relation of its own, and returns how many it
// counts as.
func (b *State) CountApart(resolve func()) int {
	around := b.joined
	b.joined = 0
	resolve()
	n := max(1, b.joined)
	b.joined = around
	return n
}
