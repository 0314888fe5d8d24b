package gateway

import (
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql/rewrite/syntax"
)

// TestPreparedTextsAreParsedOnce: sessions that prepare the same text share what it means.
func TestPreparedTextsAreParsedOnce(t *testing.T) {
	p := newParsedTexts()
	const text = "SELECT name FROM customer WHERE id = $1"
	var found [8]*syntax.Statement
	var wait sync.WaitGroup
	for i := range found {
		wait.Go(func() {
			st, err := p.analyze(text)
			if err != nil {
				t.Error(err)
			}
			found[i] = st
		})
	}
	wait.Wait()
	for _, st := range found {
		if st != found[0] {
			t.Fatal("two sessions have parsed statements of their own")
		}
	}
	if other, err := p.analyze(text + " AND tier = 'gold'"); err != nil || other == found[0] {
		t.Errorf("another text: %p, %v", other, err)
	}
	long := "SELECT '" + strings.Repeat("x", longestParsed) + "'"
	for range 2 {
		if _, err := p.analyze(long); err != nil {
			t.Fatal(err)
		}
		if _, err := p.analyze("SELECT FROM FROM"); err == nil {
			t.Error("a text with an error was taken")
		}
	}
	for _, kept := range []string{long, "SELECT FROM FROM"} {
		if _, ok := p.texts.Get(kept); ok {
			t.Errorf("%.20s is kept", kept)
		}
	}
}

// TestOldPreparedTextsGiveWay: the cache has a bound.
func TestOldPreparedTextsGiveWay(t *testing.T) {
	p := newParsedTexts()
	for i := range mostParsed + 10 {
		if _, err := p.analyze("SELECT " + strings.Repeat("1", 1+i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range mostParsed + 10 {
		if _, ok := p.texts.Get("SELECT " + strings.Repeat("1", 1+i)); ok != (i >= 10) {
			t.Errorf("text %d of %d is kept: %v", i, mostParsed+10, ok)
		}
	}
}
