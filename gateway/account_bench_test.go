package gateway

import (
	"testing"

	"github.com/ontosql/ontosql/wire"
)

// BenchmarkAccount is what the query log and pg_stat_activity add to a statement
// that was prepared before.
func BenchmarkAccount(b *testing.B) {
	s := &Session{db: &Database{}, start: wire.Startup{PID: 1, User: "tester"}}
	query := shown("SELECT name, tier, balance FROM customer WHERE id = $1")
	b.ReportAllocs()
	for b.Loop() {
		a := s.account(query)
		_ = a.counting(b.Context())
		p := &portal{account: a, columns: []wire.Column{{}}}
		p.Sent(1, 60, nil)
		s.activity.waits(wire.Idle)
		s.activity.transactionEnded()
	}
}
