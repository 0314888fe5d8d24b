package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/term"
)

// progress reports long work: a bar that redraws itself on a terminal, a line
// for each tenth elsewhere, nothing with --json.
func (p *program) progress(what string) func(done, total int) {
	if p.cfg.JSON {
		return nil
	}
	file, ok := p.err.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		tenth := -1
		return func(done, total int) {
			if now := 10 * done / total; now != tenth {
				tenth = now
				fmt.Fprintf(p.err, "%s: %d of %d\n", what, done, total)
			}
		}
	}
	const width = 30
	return func(done, total int) {
		filled := width * done / total
		fmt.Fprintf(p.err, "\r%s [%-*s] %d/%d", what, width, bar[:filled], done, total)
		if p.drawing = done < total; !p.drawing {
			fmt.Fprintln(p.err)
		}
	}
}

const bar = "=============================="

// absolute is path from the root, or path itself if the working directory does not exist.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
