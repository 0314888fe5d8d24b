package introspect

import (
	"testing"

	"github.com/ontosql/ontosql/wire"
)

// BenchmarkAccount is what the query log and pg_stat_activity add to a statement
// that was prepared before.
func BenchmarkAccount(b *testing.B) {
	log, activity := new(StatementLog), new(Activity)
	c := &Client{PID: 1, User: "tester", Activity: activity}
	query := ShownText("SELECT name, tier, balance FROM customer WHERE id = $1")
	b.ReportAllocs()
	for b.Loop() {
		a := NewAccount(log, c, query)
		_ = a.Counting(b.Context())
		a.Sent(1, 60, nil)
		a.Settle()
		activity.Idle(wire.Idle)
		activity.TransactionEnded()
	}
}
