package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	fence = regexp.MustCompile("(?ms)^```.*?^```")
	code  = regexp.MustCompile("`[^`\n]*`")
)

// TestDocumentLinks follows every relative link of the Markdown documents: the file
// exists, and so does the heading that the link names.
func TestDocumentLinks(t *testing.T) {
	root := "../.."
	pages := documents(t, root)
	if len(pages) < 10 {
		t.Fatalf("found only %d documents", len(pages))
	}
	for page, text := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(fence.ReplaceAllString(text, ""), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			path, heading, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: link %s: no such file", page, m[1])
				continue
			}
			if other, read := pages[target]; read && heading != "" && !anchors(other)[heading] {
				t.Errorf("%s: link %s: no such heading", page, m[1])
			}
		}
	}
}

// documents reads the Markdown files below root, by their path from there. Hidden
// folders and test data are left out.
func documents(t *testing.T, root string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || e.Name() == "bin" || e.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if e.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		pages[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// anchors returns the names by which links reach the headings of a page, as GitHub
// makes them: lower case, without punctuation, a hyphen for each space.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.SplitSeq(fence.ReplaceAllString(text, ""), "\n") {
		title, heading := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !heading || !strings.HasPrefix(line, "#") {
			continue
		}
		names[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))] = true
	}
	return names
}
