package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/wire"
)

// TestKeptAnswersAreTheAnswers asks at random, with the cache and without it, in
// one transaction each, while two gateways commit to one store. The mirror is
// built and extended meanwhile.
func TestKeptAnswersAreTheAnswers(t *testing.T) {
	const seed, rounds = 20260202, 150
	r := rand.New(rand.NewPCG(seed, 1))
	h := buildHouse(t, nil, houseOptions{mirror: 1 << 30, results: 1 << 20})
	foreign := keeper(t, h.bucket).session(t, "onto")
	sessions := []wire.Session{h.session(t, "onto"), h.session(t, "onto"), h.session(t, "onto@30")}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	hits, head := 0, 54
	for round := range rounds {
		i := r.IntN(len(sessions))
		s, pinned := sessions[i], i == 2
		switch n := r.IntN(20); {
		case n == 0:
			must(t, s, "SET TimeZone = '"+pick("UTC", "Asia/Tokyo", "Europe/Oslo")+"'")
		case n == 1 && !pinned:
			must(t, s, "SET ontosql.as_of = '"+pick("", "", "20", "HEAD~2", "2025-06-01")+"'")
		case n == 2:
			must(t, s, "SET search_path = "+pick("public", "history", "changes, public"))
		case n == 3:
			must(t, foreign, fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) VALUES ('m%d', 'New', 'gold', %d)", round, r.IntN(100)))
			head++
		case n == 4:
			must(t, foreign, fmt.Sprintf("INSERT INTO product (sku, title, price) VALUES (%d, 'New', %d)", 10000+round, r.IntN(100)))
			head++
		}
		sql := mirrorQuestions[r.IntN(len(mirrorQuestions))]
		if strings.Contains(sql, "%d") {
			sql = fmt.Sprintf(sql, r.IntN(head+2))
		}
		ask(t, s, sql) // it may not exist by this search path
		must(t, s, "BEGIN")
		if r.IntN(8) == 0 && !pinned {
			if _, err := ask(t, s, fmt.Sprintf("INSERT INTO public.customer (id, name, tier, balance) VALUES ('own%d', 'Own', 'silver', 1)", round)); err != nil {
				must(t, s, "ROLLBACK") // at a point of the past
				must(t, s, "BEGIN")
			}
		}
		must(t, s, "SET LOCAL ontosql.result_cache = off")
		want, wantErr := ask(t, s, sql)
		if wantErr != nil {
			must(t, s, "ROLLBACK")
			if got, err := ask(t, s, sql); fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("seed %d, round %d: %s answered %q, %v, and without the cache %v", seed, round, sql, got, err, wantErr)
			}
			continue
		}
		must(t, s, "SET LOCAL ontosql.result_cache = on")
		got, kept := asked(t, s, sql)
		slices.Sort(want) // by history's search path a question may leave the order open
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d, round %d: %s, kept %t (-without the cache +with it):\n%s", seed, round, sql, kept, diff)
		}
		if kept {
			hits++
		}
		must(t, s, pick("COMMIT", "ROLLBACK"))
	}
	if hits < rounds/10 {
		t.Errorf("seed %d: %d answers of %d had been kept", seed, hits, rounds)
	}
}

// TestManySessionsShareResults reads and commits from many sessions at once:
// what each gets is what the engine says at its pin.
func TestManySessionsShareResults(t *testing.T) {
	asksNoMirror(t)
	h := buildHouse(t, nil, houseOptions{results: 256 << 10})
	questions := []string{
		"SELECT id, name, tier FROM customer ORDER BY id",
		"SELECT tier, count(*) FROM customer GROUP BY tier ORDER BY tier",
		"SELECT count(*), array_agg(code ORDER BY code) FROM store",
		"SELECT sku, title FROM as_of.product(30) ORDER BY sku",
	}
	var all sync.WaitGroup
	for n := range 4 {
		s := h.session(t, "onto")
		all.Go(func() {
			for round := range 30 {
				sql := questions[(n+round)%len(questions)]
				var answers [2][]string
				for _, step := range []struct {
					sql  string
					into *[]string
				}{
					{sql: "BEGIN"}, {sql, &answers[0]}, {sql: "SET LOCAL ontosql.result_cache = off"}, {sql, &answers[1]}, {sql: "COMMIT"},
				} {
					rows, err := ask(t, s, step.sql)
					if err != nil {
						t.Errorf("%s: %v", step.sql, err)
						return
					}
					if step.into != nil {
						*step.into = rows
					}
				}
				if diff := cmp.Diff(answers[1], answers[0]); diff != "" {
					t.Errorf("%s (-without the cache +with it):\n%s", sql, diff)
				}
			}
		})
	}
	writer := h.session(t, "onto")
	for i := range 10 {
		must(t, writer, fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) VALUES ('m%d', 'New', 'gold', 1)", i))
	}
	all.Wait()
}

// BenchmarkKeptResult is what a dashboard's question costs the gateway once it
// is answered, in a transaction: without the look at the head.
func BenchmarkKeptResult(b *testing.B) {
	s := keeper(b, nil).session(b, "onto")
	must(b, s, "BEGIN")
	st := prepared(b, s, "SELECT tier, count(*), sum(balance) FROM customer WHERE id <> $1 GROUP BY tier ORDER BY tier")
	args := [][]byte{[]byte("c7")}
	again(b, s, st, args)
	for b.Loop() {
		again(b, s, st, args)
	}
}
