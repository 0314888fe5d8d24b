package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSpillDir makes two directories side by side, leaves a third as a killed
// process does, and looks at what the next one finds.
func TestSpillDir(t *testing.T) {
	root := filepath.Join(t.TempDir(), "cache", "spill")
	a, releaseA, err := spillDir(root)
	if err != nil {
		t.Fatal(err)
	}
	b, releaseB, err := spillDir(root)
	if err != nil || a == b {
		t.Fatalf("the second directory is %s (%v), want another than %s", b, err, a)
	}
	left := filepath.Join(root, "left")
	if err := os.Mkdir(left, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{a, left} {
		if err := os.WriteFile(filepath.Join(dir, "duckdb_temp_storage-0.tmp"), []byte("rows"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, releaseC, err := spillDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(a, "duckdb_temp_storage-0.tmp")); err != nil {
		t.Errorf("a file of a living engine is gone: %v", err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a dead process left is still there")
	}
	releaseA()
	releaseB()
	releaseC()
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("after release %d directories (%v), want none", len(entries), err)
	}
}
