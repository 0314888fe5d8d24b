package compat

import (
	"fmt"
	"slices"
	"strings"
)

// step is what a client sends before it waits for an answer: one string of the
// simple protocol, a COPY with its data, or a pipeline of the extended protocol up
// to one Sync.
type step struct {
	pipeline bool
	requests []request
	data     string // of a COPY FROM STDIN
}

// request is one statement of a step, or in a pipeline the preparation of one.
type request struct {
	sql  string
	name string // of a prepared statement; "" for one that is sent with its values
	// prepare says that the statement is only prepared. A named one that is not is
	// executed, and sql is empty.
	prepare bool
	args    []arg
	binary  bool // results are asked for in binary form
}

// arg is the value of a parameter.
type arg struct {
	oid    uint32
	text   string
	null   bool
	told   bool // the client says the type when it parses
	binary bool
}

func simple(statements ...string) step {
	s := step{}
	for _, sql := range statements {
		s.requests = append(s.requests, request{sql: sql})
	}
	return s
}

// text is the string of a simple query.
func (s step) text() string {
	var parts []string
	for _, r := range s.requests {
		parts = append(parts, r.sql)
	}
	return strings.Join(parts, "; ")
}

// forServer is the step as one side is to have it.
func (s step) forServer(postgres bool) step {
	out := step{pipeline: s.pipeline, data: s.data}
	for _, r := range s.requests {
		r.sql = forServer(r.sql, postgres)
		out.requests = append(out.requests, r)
	}
	return out
}

// String is the step as a reader of a failure wants it.
func (s step) String() string {
	switch {
	case s.data != "":
		return s.text() + ";\n" + s.data + "\\."
	case !s.pipeline:
		return s.text() + ";"
	}
	var lines []string
	for _, r := range s.requests {
		lines = append(lines, r.String())
	}
	return strings.Join(lines, "\n") + "\nSYNC"
}

func (r request) String() string {
	var b strings.Builder
	switch {
	case r.prepare:
		fmt.Fprintf(&b, "PARSE %s: %s", r.name, r.sql)
	case r.name != "":
		fmt.Fprintf(&b, "EXECUTE %s", r.name)
	default:
		fmt.Fprintf(&b, "SEND %s", r.sql)
	}
	for i, a := range r.args {
		value := quoted(a.text)
		if a.null {
			value = "NULL"
		}
		fmt.Fprintf(&b, " $%d=%s:%d", i+1, value, a.oid)
		if a.told {
			b.WriteString(" told")
		}
		if a.binary {
			b.WriteString(" binary")
		}
	}
	if r.binary {
		b.WriteString(" (binary results)")
	}
	return b.String()
}

// smaller are the steps that a step may be shrunk to: with one request less, or
// in the simple protocol.
func (s step) smaller() (out []step) {
	if len(s.requests) > 1 {
		for i := range s.requests {
			out = append(out, step{pipeline: s.pipeline, requests: slices.Delete(slices.Clone(s.requests), i, i+1)})
		}
	}
	if r := s.requests[0]; s.pipeline && len(s.requests) == 1 && r.name == "" && len(r.args) == 0 {
		out = append(out, step{requests: []request{{sql: r.sql}}})
	}
	return out
}

// shrink takes away from a program that differs what it differs without: runs of
// steps, then single ones, then requests within steps. It asks differs at most
// tries times.
func shrink(steps []step, tries int, differs func([]step) bool) {
	try := func(candidate []step) bool {
		if tries == 0 || len(candidate) == 0 {
			return false
		}
		tries--
		if !differs(candidate) {
			return false
		}
		steps = candidate
		return true
	}
	for size := max(1, len(steps)/2); ; size /= 2 {
		for at := 0; at < len(steps); {
			if !try(slices.Delete(slices.Clone(steps), at, min(at+size, len(steps)))) {
				at += size
			}
		}
		if size == 1 {
			break
		}
	}
	for at := 0; at < len(steps); {
		found := slices.ContainsFunc(steps[at].smaller(), func(s step) bool {
			candidate := slices.Clone(steps)
			candidate[at] = s
			return try(candidate)
		})
		if !found {
			at++
		}
	}
}
