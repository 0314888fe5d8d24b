package gateway_test

import (
	"fmt"
	"sync"
	"testing"
)

// TestReadersSeeWholeTransactions: while one session moves an amount between two rows, and another
// takes such moves back, all queries of others see two rows with the same sum.
func TestReadersSeeWholeTransactions(t *testing.T) {
	asksNoMirror(t)
	h, one, _ := workspaceTable(t)
	succeeds(t, one, "CREATE TABLE w.account (id int PRIMARY KEY, amount int)", "CREATE TABLE w.copy (rows bigint, total bigint)")
	must(t, one, "INSERT INTO w.account VALUES (1, 500), (2, 500)")
	const rounds = 60
	done := make(chan struct{})
	var writers, readers sync.WaitGroup
	for i, end := range []string{"COMMIT", "ROLLBACK"} {
		s := h.session(t, "onto")
		writers.Go(func() {
			for k := range rounds {
				move := fmt.Sprintf("UPDATE w.account SET amount = amount + CASE id WHEN 1 THEN %d ELSE -%[1]d END", 1+k%7)
				var err error
				if i == 0 && k%2 == 0 {
					_, err = ask(t, s, move)
				} else {
					for _, sql := range []string{"BEGIN", "SELECT * FROM w.account WHERE id = 1 FOR UPDATE", "SAVEPOINT s", move, end} {
						if _, err = ask(t, s, sql); err != nil {
							break
						}
					}
				}
				if err != nil {
					t.Errorf("writer: %v", err)
					return
				}
			}
		})
	}
	for i := range 3 {
		s := h.session(t, "onto")
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				sql := []string{
					"SELECT count(*), sum(amount) FROM w.account", "SELECT count(*), sum(a.amount) FROM w.account a JOIN w.account b USING (id)",
					"INSERT INTO w.copy SELECT count(*), sum(amount) FROM w.account RETURNING rows, total",
				}[i]
				rows, err := ask(t, s, sql)
				if err != nil || len(rows) != 1 || rows[0] != "2|1000" {
					t.Errorf("%s: %v, %v", sql, rows, err)
					return
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
}
