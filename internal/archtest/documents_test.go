package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	link  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	fence = regexp.MustCompile("(?ms)^```.*?^```")
	code  = regexp.MustCompile("`[^`\n]*`")

	namedTest = regexp.MustCompile("`([a-z0-9/]+)\\.(Test[A-Z][A-Za-z0-9]*)`")

	goFile = regexp.MustCompile("`([a-zA-Z0-9_./-]+\\.go)`")
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

// TestDocumentsNameFiles looks for every Go file that a document names in code
// style: by its path, from the root or from the document, or by its name alone.
func TestDocumentsNameFiles(t *testing.T) {
	root := "../.."
	source := files(t, root, ".go")
	bases := map[string]bool{}
	for path := range source {
		bases[filepath.Base(path)] = true
	}
	for page, text := range documents(t, root) {
		for _, m := range goFile.FindAllStringSubmatch(text, -1) {
			_, fromRoot := source[m[1]]
			_, fromPage := source[filepath.ToSlash(filepath.Join(filepath.Dir(page), m[1]))]
			alone := !strings.Contains(m[1], "/") && bases[m[1]]
			if !fromRoot && !fromPage && !alone {
				t.Errorf("%s: no file %s", page, m[1])
			}
		}
	}
}

// TestDocumentsNameTests looks for every test that a document names in code style, as
// `folder.TestName`.
func TestDocumentsNameTests(t *testing.T) {
	root, count := "../..", 0
	source := files(t, root, ".go")
	for page, text := range documents(t, root) {
		for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
			found := false
			for path, code := range source {
				if filepath.ToSlash(filepath.Dir(path)) == m[1] && strings.HasSuffix(path, "_test.go") {
					found = found || strings.Contains(code, "\nfunc "+m[2]+"(t *testing.T)")
				}
			}
			if count++; !found {
				t.Errorf("%s: no test %s in %s", page, m[2], m[1])
			}
		}
	}
	if count < 20 {
		t.Errorf("found only %d names of tests", count)
	}
}

// documents reads the Markdown files below root, by their path from there.
func documents(t *testing.T, root string) map[string]string { return files(t, root, ".md") }

// files reads the files below root that have one of the extensions, by their path from
// there. Hidden folders and test data are left out.
func files(t *testing.T, root string, extensions ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(e.Name(), ".") && path != root
		if e.IsDir() && (hidden || slices.Contains([]string{"testdata", "bin", "node_modules"}, e.Name())) {
			return filepath.SkipDir
		}
		if e.IsDir() || !slices.Contains(extensions, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		found[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
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

var (
	decisionFile  = regexp.MustCompile(`^docs/decisions/(A[1-9][0-9]*)-[a-z0-9-]+\.md$`)
	decisionCited = regexp.MustCompile(`(?:[dD]ecisions?|\()[\s/]*(A[1-9][0-9]*)\b`)
)

// TestDecisions checks the form of the files in docs/decisions, that the index lists each
// of them, and that every decision that code or documents cite is there.
func TestDecisions(t *testing.T) {
	root := "../.."
	pages := documents(t, root)
	index := pages["docs/decisions/README.md"]
	there := map[string]bool{}
	for page, text := range pages {
		m := decisionFile.FindStringSubmatch(page)
		if m == nil {
			continue
		}
		if there[m[1]] {
			t.Errorf("%s: two files have this number", page)
		}
		there[m[1]] = true
		if !strings.Contains(index, "["+m[1]+"]("+filepath.Base(page)+")") {
			t.Errorf("%s: docs/decisions/README.md does not list it", page)
		}
		for _, section := range []string{"# " + m[1] + ": ", "\n## Context\n", "\n## Decision\n", "\n## Consequences\n"} {
			if !strings.Contains(text, section) {
				t.Errorf("%s: no %q", page, strings.TrimSpace(section))
			}
		}
	}
	if len(there) < 50 {
		t.Errorf("found only %d decisions", len(there))
	}
	for path, text := range files(t, root, ".md", ".go") {
		for _, m := range decisionCited.FindAllStringSubmatch(text, -1) {
			if !there[m[1]] {
				t.Errorf("%s cites decision %s, which has no file in docs/decisions", path, m[1])
			}
		}
	}
}
