package maintain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Severity is the effect of a problem on the store.
type Severity uint8

// The severities.
const (
	// Error: the store breaks a rule.
	Error Severity = iota
	// Lag: an advisory object is missing or behind. Readers answer correctly without it and
	// the next writer updates it.
	Lag
	// Foreign: a known deviation of the original that readers must tolerate.
	Foreign
)

// String is "error", "lag" or "foreign".
func (s Severity) String() string { return [...]string{"error", "lag", "foreign"}[s] }

// Problem is one violation of a rule.
type Problem struct {
	Rule     Rule
	Severity Severity
	Key      string // key of the object, relative to the store's prefix
	Text     string // contains no row data except keys
}

// String formats the problem on one line.
func (p Problem) String() string {
	return fmt.Sprintf("%s: %s: %s: %s", p.Severity, p.Rule, p.Key, p.Text)
}

// Report is the result of Check.
type Report struct {
	Head     ontosql.CommitID
	Engine   string // format.EngineV1 or EngineV2
	Moved    bool   // the head changed during the check: some problems may be false
	Files    int    // data files read, snapshots included
	Rows     int64  // rows in them
	Problems []Problem
	// Contradicting are the typed columns of commit files that differ from fields_json or cannot
	// be read, for Distrust.
	Contradicting []format.DistrustedColumn
}

// Errors returns the problems with severity Error.
func (r Report) Errors() []Problem {
	return slices.DeleteFunc(slices.Clone(r.Problems), func(p Problem) bool { return p.Severity != Error })
}

// Err returns nil if the store breaks no rule; otherwise an error with a line for each problem
// of any severity.
func (r Report) Err() error {
	if len(r.Errors()) == 0 {
		return nil
	}
	return errors.New(r.String())
}

// String formats a summary and a line for each problem.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "head %d, engine %s, %d files, %d rows, %d problems", r.Head, r.Engine, r.Files, r.Rows, len(r.Problems))
	for _, p := range r.Problems {
		b.WriteString("\n" + p.String())
	}
	return b.String()
}

// findings collects problems from several goroutines.
type findings struct {
	mu       sync.Mutex
	problems []Problem
	files    int
	rows     int64
}

func (f *findings) add(rule Rule, severity Severity, key, text string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.problems = append(f.problems, Problem{rule, severity, key, fmt.Sprintf(text, args...)})
}

func (f *findings) read(rows int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files++
	f.rows += rows
}

// corrupt records an object that a decoder rejected.
func (f *findings) corrupt(rule Rule, key string, err error) {
	var c *ontosql.CorruptError
	if !errors.As(err, &c) {
		f.add(rule, Error, key, "%v", err)
		return
	}
	text := c.Err.Error()
	if c.Field != "" {
		text = c.Field + ": " + text
	}
	f.add(rule, Error, c.Key, "%s", text)
}

// sorted returns the problems, most severe first, then by key.
func (f *findings) sorted() []Problem {
	slices.SortFunc(f.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return f.problems
}
