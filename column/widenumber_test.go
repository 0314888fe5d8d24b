package column

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestWideKeys compares keys of random numbers as texts, and the numbers exactly. A key gives back
// its number.
func TestWideKeys(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	digits := func(most int) string {
		var b strings.Builder
		for range rng.IntN(most + 1) {
			b.WriteByte("0000123456789959"[rng.IntN(16)])
		}
		return b.String()
	}
	number := func() string {
		text := []string{"", "-", "+"}[rng.IntN(3)] + digits([]int{2, 10, 90}[rng.IntN(3)]) + "0"
		if rng.IntN(2) == 0 {
			text += "." + digits([]int{2, 90}[rng.IntN(2)])
		}
		if rng.IntN(4) == 0 {
			text += fmt.Sprintf("e%d", rng.IntN(80)-40)
		}
		return text
	}
	last, lastText := "o", "0"
	for range 100_000 {
		text := number()
		got, ok := AppendWideKey([]byte("x"), []byte(text))
		if !ok {
			t.Fatalf("%s has no key", text)
		}
		key := string(got[1:])
		x, _ := new(big.Rat).SetString(text)
		y, _ := new(big.Rat).SetString(lastText)
		if want := x.Cmp(y); strings.Compare(key, last) != want {
			t.Fatalf("%s compares with %s as %d, their keys %s and %s as %d", text, lastText, want, key, last, strings.Compare(key, last))
		}
		least := rng.IntN(8)
		printed := string(AppendWide([]byte("x"), []byte(key), least))[1:]
		if back, ok := new(big.Rat).SetString(printed); !ok || back.Cmp(x) != 0 {
			t.Fatalf("%s is printed as %s", text, printed)
		}
		if _, fraction, _ := strings.Cut(printed, "."); len(fraction) < least || len(fraction) > least && strings.HasSuffix(fraction, "0") {
			t.Fatalf("%s is printed as %s with %d digits behind the point", text, printed, least)
		}
		if again, _ := AppendWideKey(nil, []byte(printed)); !bytes.Equal(again, []byte(key)) {
			t.Fatalf("%s has the key %s, and as %s the key %s", text, key, printed, again)
		}
		last, lastText = key, text
	}
	for _, text := range []string{"", "-", ".", "1.2.3", "1e", "e1", "--1", " 1", "0x1", "1_0", "NaN", "Infinity", "1e131072", "1e-16384", "0e-16384", "1e99999999999999999999"} {
		if key, ok := AppendWideKey(nil, []byte(text)); ok {
			t.Errorf("%q has the key %s", text, key)
		}
	}
	for _, text := range []string{"1e131071", "1e-16383", "-1e-16383"} {
		if _, ok := AppendWideKey(nil, []byte(text)); !ok {
			t.Errorf("%s has no key", text)
		}
	}
	for _, text := range []string{"12.50", "", "p", "plum", "p1", "p1000031", "n", "no", "n899996~", "n8999968764", "oo", "o1", "p10000312x5"} {
		want := text
		if text == "p1000031" {
			want = "100"
		}
		if got := string(AppendWide(nil, []byte(text), 0)); got != want {
			t.Errorf("the text %q is printed as %s, want %s", text, got, want)
		}
	}
}
