package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

// table prints what a measure found for people to read.
func (r *result) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s (%.0f s)\tvalue\tgoal\tverdict\n", r.Name, r.Took)
	for _, f := range r.Figures {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", f.Name, f.text(), f.Goal, f.verdict())
	}
	if len(r.Timings) > 0 {
		fmt.Fprintln(t, "\tp50 ms\tp10\tp90\tp99\tn")
	}
	for _, m := range r.Timings {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%d\n", m.Name, number(m.Median), number(m.Low), number(m.High), number(m.Tail), m.Count)
	}
	fmt.Fprintln(t)
	return t.Flush()
}

func (f *figure) text() string {
	if f.Unit == "" || f.Unit == "x" {
		return number(f.Value) + f.Unit
	}
	return number(f.Value) + " " + f.Unit
}

func (f *figure) verdict() string {
	switch {
	case f.Met == nil:
		return ""
	case *f.Met:
		return "met"
	}
	return "MISSED"
}

// number has three digits that count.
func number(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', max(digits, 0), 64)
}

// The marks in a document between which the figures of a run stand.
const (
	figuresBegin = "<!-- figures: written by go run ./bench -report -->\n"
	figuresEnd   = "<!-- end of figures -->\n"
)

// publish puts the run between the marks of a document.
func (r *report) publish(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), figuresBegin)
	_, after, ok2 := strings.Cut(rest, figuresEnd)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for figures between %q and %q", path, figuresBegin, figuresEnd)
	}
	var figures strings.Builder
	r.markdown(&figures)
	return os.WriteFile(path, []byte(before+figuresBegin+figures.String()+figuresEnd+after), 0o644)
}

// markdown prints the run as docs/performance.md shows it.
func (r *report) markdown(w io.Writer) {
	m := r.Machine
	fmt.Fprintf(w, "%s, %s, %d cores, %s, load average %s before and %s after; %d laps. Size %s.\n\n",
		m.Time.Format("2006-01-02 15:04 UTC"), m.System, m.Cores, m.Go, m.LoadBefore, m.LoadAfter, r.Laps, r.Size)
	if m.busy() {
		fmt.Fprint(w, "**The machine was busy with other work**: times are too long, and ratios are rough.\n\n")
	}
	fmt.Fprint(w, "| measure | figure | value | goal | verdict |\n|---|---|---:|---|---|\n")
	for _, one := range r.Measures {
		for _, f := range one.Figures {
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", one.Name, f.Name, f.text(), f.Goal, f.verdict())
		}
	}
	fmt.Fprint(w, "\n| measure | what was timed | p50 ms | p10 | p90 | p99 | n |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, one := range r.Measures {
		for _, t := range one.Timings {
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %d |\n",
				one.Name, t.Name, number(t.Median), number(t.Low), number(t.High), number(t.Tail), t.Count)
		}
	}
}
