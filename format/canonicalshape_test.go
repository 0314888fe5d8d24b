package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// checkSpeller checks that a Speller appends each text as AppendCanonical does, and that the Shape has
// the names and values of its members. It returns the number of texts of a known shape.
func checkSpeller(t *testing.T, texts ...string) (shaped int) {
	t.Helper()
	var s Speller
	for i, text := range texts {
		want, wantErr := AppendCanonical([]byte("before"), []byte(text))
		got, shape, err := s.Append([]byte("before"), []byte(text))
		if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) {
			t.Fatalf("text %d of %q: Speller.Append: got %q, %v; AppendCanonical: %q, %v", i, texts, got, err, want, wantErr)
		}
		if shape == nil {
			continue
		}
		shaped++
		canonical, n := got[len("before"):], 0
		if shape.Plain && (bytes.IndexByte(canonical, '\\') >= 0 || !json.Valid(canonical)) {
			t.Fatalf("%q: Shape.Plain is true, want false", canonical)
		}
		if !shape.Plain && bytes.IndexByte(canonical, '\\') < 0 {
			t.Fatalf("%q has no escape: Shape.Plain is false, want true", canonical)
		}
		if err := EachMember(canonical, func(name, value Span) {
			if n >= len(shape.Names) || shape.Names[n] != string(canonical[name.From:name.To]) || shape.Values[n] != value {
				t.Fatalf("member %d of %q: got shape %+v", n, canonical, shape)
			}
			n++
		}); err != nil || n != len(shape.Names) {
			t.Fatalf("%q has %d members, and its shape %q: %v", canonical, n, shape.Names, err)
		}
	}
	return shaped
}

func TestSpeller(t *testing.T) {
	row := func(i int) string {
		return fmt.Sprintf(`{"id": "k%d", "z": %d.5, "list": [1, {"b": %d, "a": null}], "flag": true, "none": null, "text": "\u00e9 \" NaN"}`, i, i, i)
	}
	if n := checkSpeller(t, row(1), row(2), row(3)); n != 1 {
		t.Errorf("three rows of one shape: %d had a known shape, want 1", n)
	}
	short := func(i int) string { return fmt.Sprintf(`{"z": -%d, "id": ""}`, i) }
	if n := checkSpeller(t, row(1), short(1), row(2), short(2), row(3), short(3)); n != 3 {
		t.Errorf("six rows of two shapes: %d had a known shape, want 3", n)
	}
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf(`{"m%d": 1}`, i%1000))
	}
	checkSpeller(t, many...)
	for _, odd := range []string{
		``, `{`, `{}`, `[]`, `1`, ` {"id": 1}`, `{"id": 1} `, `{"id":1}`, `{"id" : 1}`, `{"id": 1, "id": 2}`, `{"id": 1, "z": 2}`, `{"id": 1,}`,
		`{"id": NaN}`, `{"id": é}`, `{"id": "é"}`, `{"id": "` + "\x7f" + `"}`, `{"id": 01}`, `{"id": 1e5}`, `{"id": -}`, `{"id": "\ud800"}`, `{"id": {"id": 1}}`, `{"id": 1}}`, `{"id": `, `{"id": "`,
		`{"id": [1, 2, {}]}`, `{"id": [}`, `{"id": tru`, `{"id": true}`,
	} {
		checkSpeller(t, `{"id": 1}`, odd, `{"id": 2}`, odd, odd)
	}
}

func FuzzSpeller(f *testing.F) {
	f.Add(`{"id": "k1", "n": 1}`, `{"id": "k2", "n": -2.5}`, `{"n": 1, "id": "k3"}`)
	f.Add(`{"a": [1, {"y": 1, "x": 2}], "b": "\u00e9"}`, `{"a": [], "b": ""}`, `{"a": 1}`)
	f.Fuzz(func(t *testing.T, a, b, c string) { checkSpeller(t, a, a, b, c, b, a) })
}
