package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPage: each attack that docs/security.md names has a test, and the tests exist.
func TestSecurityPage(t *testing.T) {
	root := moduleRoot(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, model, ok := strings.Cut(string(page), "## Threat model")
	if !ok {
		t.Fatal("docs/security.md has no threat model")
	}
	named := regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9]+)`")
	rows := 0
	for _, line := range strings.Split(model, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| attack ") {
			continue
		}
		rows++
		tests := named.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("no test in: %s", line)
		}
		for _, test := range tests {
			if !hasTest(t, filepath.Join(root, test[1]), test[2]) {
				t.Errorf("there is no test %s in %s, which this line names: %s", test[2], test[1], line)
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d lines were found, want all of the threat model", rows)
	}
}

// hasTest reports whether a test file of the folder has the function.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
