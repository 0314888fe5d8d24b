package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// differences are the figures that subtract one time from another: noise can
// put them below zero.
var differences = map[string]bool{"a view over latest adds": true}

// TestSmoke runs what needs no S3 server at the smallest size, writes the
// figures down and shows them as the documentation does.
func TestSmoke(t *testing.T) {
	testenv.Postgres(t)
	dir := t.TempDir()
	o := options{size: "S", only: "P[123467]|P1[34]|join", laps: 1, json: filepath.Join(dir, "figures.json")}
	page := filepath.Join(dir, "page.md")
	var out bytes.Buffer
	r, err := measured(t.Context(), o, &out)
	if err != nil {
		t.Fatalf("%v\nafter:\n%s", err, &out)
	}
	if err := r.write(o.json); err != nil {
		t.Fatal(err)
	}
	if r, err = readReport(o.json); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, []byte("Before.\n"+figuresBegin+"old\n"+figuresEnd+"After.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.publish(page); err != nil {
		t.Fatal(err)
	}
	published, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(published)
	if !strings.HasPrefix(text, "Before.\n"+figuresBegin) || !strings.HasSuffix(text, figuresEnd+"After.\n") || strings.Contains(text, "\nold\n") {
		t.Errorf("the page with the figures is\n%s", text)
	}
	if len(r.Measures) != 9 {
		t.Errorf("%d measures were run, want 9", len(r.Measures))
	}
	for _, m := range r.Measures {
		if len(m.Figures) == 0 || !strings.Contains(text, "| "+m.Name+" | "+m.Figures[0].Name+" |") {
			t.Errorf("%s has %d figures, and the page is\n%s", m.Name, len(m.Figures), text)
		}
		for _, f := range m.Figures {
			if f.Value <= 0 && !differences[f.Name] {
				t.Errorf("%s: %s is %v", m.Name, f.Name, f.Value)
			}
		}
	}
}
