package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// page gives show the command's output. On a terminal it has colours, unless NO_COLOR is set, and goes
// through the pager that PAGER names, by default less.
func (p *program) page(show func(w io.Writer, c colours) error) error {
	file, ok := p.out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || p.cfg.JSON {
		return show(p.out, colours{})
	}
	c := ansi
	if os.Getenv("NO_COLOR") != "" {
		c = colours{}
	}
	name := cmp.Or(strings.TrimSpace(os.Getenv("PAGER")), "less")
	pager := exec.Command("sh", "-c", "exec "+name)
	pager.Env = append([]string{"LESS=FRX"}, os.Environ()...) // an own LESS comes later and wins
	pager.Stdout, pager.Stderr = p.out, p.err
	in, err := pager.StdinPipe()
	if err != nil {
		return err
	}
	if _, missing := exec.LookPath(strings.Fields(name)[0]); missing != nil || pager.Start() != nil {
		return show(p.out, c)
	}
	shown := show(in, c)
	in.Close()
	if errors.Is(shown, syscall.EPIPE) { // the pager was left before the end
		shown = nil
	}
	return errors.Join(shown, pager.Wait())
}

// colours are the sequences that switch colours on and off; empty for none.
type colours struct{ commit, added, removed, plain string }

var ansi = colours{commit: "\x1b[33m", added: "\x1b[32m", removed: "\x1b[31m", plain: "\x1b[0m"}
