package backends

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestStories tells each file of testdata to each backend, in both engine versions,
// with native copies of the types and without. A line before a story's statements is
// who says them: sessions begin when they first speak. "copy" ends the statement with
// its first line, and its data are the others.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			for _, file := range files {
				for _, engine := range engines {
					for _, way := range []string{"files", "mirror"} {
						t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+engine+"/"+way, func(t *testing.T) {
							tellStory(t, b.serve(t, engine, way == "mirror"), file)
						})
					}
				}
			}
		})
	}
}

func tellStory(t *testing.T, dsn, file string) {
	speakers := map[string]*client{}
	datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
		c := speakers[d.Cmd]
		if c == nil {
			c = connect(t, dsn)
			speakers[d.Cmd] = c
		}
		if d.HasArg("copy") {
			sql, lines, _ := strings.Cut(d.Input, "\n")
			return c.load(t.Context(), sql, strings.NewReader(lines+"\n"))
		}
		var answers strings.Builder
		for _, sql := range statements(d.Input) {
			answers.WriteString(c.say(t.Context(), sql))
		}
		return answers.String()
	})
}

// statements are those of a story, each ended by a semicolon at the end of a line.
func statements(text string) []string {
	var all []string
	var now []string
	for line := range strings.Lines(text) {
		now = append(now, line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			all = append(all, strings.Join(now, ""))
			now = nil
		}
	}
	if len(now) > 0 {
		all = append(all, strings.Join(now, ""))
	}
	return all
}
