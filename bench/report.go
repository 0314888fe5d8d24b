package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// report is a run, as -json writes it and -report reads it.
type report struct {
	Machine  machine  `json:"machine"`
	Size     size     `json:"size"`
	Laps     int      `json:"laps"`
	Measures []result `json:"measures"`
}

// machine is where a run was.
type machine struct {
	Time       time.Time `json:"time"`
	System     string    `json:"system"`
	Cores      int       `json:"cores"`
	Go         string    `json:"go"`
	LoadBefore string    `json:"load_before"` // load average before the first measure
	LoadAfter  string    `json:"load_after"`  // and after the last one, our own load included
}

// busy reports whether others had the machine when the run began.
func (m machine) busy() bool {
	last, _, _ := strings.Cut(m.LoadBefore, " ")
	n, err := strconv.ParseFloat(last, 64)
	return err == nil && n > float64(m.Cores)/2
}

// result is what a measure found.
type result struct {
	Name    string   `json:"name"`   // of the measure: "P1 point look-up"
	Took    float64  `json:"took_s"` // with its preparations
	Figures []figure `json:"figures"`
	Timings []timing `json:"timings,omitempty"`
}

// figure is one number, with a goal or without.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Goal  string  `json:"goal,omitempty"` // "<= 8"
	Met   *bool   `json:"met,omitempty"`
}

// timing is how long one contender took, in milliseconds.
type timing struct {
	Name   string  `json:"name"`
	Count  int     `json:"count"`
	Low    float64 `json:"p10_ms"`
	Median float64 `json:"p50_ms"`
	High   float64 `json:"p90_ms"`
	Tail   float64 `json:"p99_ms"`
}

// note adds a number without a goal.
func (r *result) note(name string, value float64, unit string) {
	r.Figures = append(r.Figures, figure{Name: name, Value: value, Unit: unit})
}

// atMost and atLeast add a number and judge it.
func (r *result) atMost(name string, value float64, unit string, goal float64) {
	r.judge(name, value, unit, "<=", goal, value <= goal)
}

func (r *result) atLeast(name string, value float64, unit string, goal float64) {
	r.judge(name, value, unit, ">=", goal, value >= goal)
}

func (r *result) judge(name string, value float64, unit, sign string, goal float64, met bool) {
	r.Figures = append(r.Figures, figure{Name: name, Value: value, Unit: unit, Goal: fmt.Sprintf("%s %g", sign, goal), Met: &met})
}

// times adds the times of a race; prefix comes before the contenders' names.
func (r *result) times(prefix string, all []contender, found []samples) {
	for i, c := range all {
		r.timed(prefix+c.name, found[i])
	}
}

func (r *result) timed(name string, s samples) {
	ms := func(q float64) float64 { return milliseconds(s.quantile(q)) }
	r.Timings = append(r.Timings, timing{Name: name, Count: len(s), Low: ms(0.1), Median: ms(0.5), High: ms(0.9), Tail: ms(0.99)})
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func here() machine {
	return machine{
		Time: time.Now().UTC().Truncate(time.Second), System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(),
		Go: runtime.Version(), LoadBefore: load(),
	}
}

// load is the load average of the last one, five and fifteen minutes, "" where
// the system does not tell.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func readReport(path string) (*report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return r, nil
}
