package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ontosql/ontosql/auth"
)

func (p *program) userCommand() *cobra.Command {
	user := &cobra.Command{
		Use:   "user",
		Short: "manage the users file of serve --auth scram",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			return usagef("user: want a subcommand: add")
		},
	}
	var file string
	var superuser bool
	add := &cobra.Command{
		Use:     "add NAME",
		Short:   "add a user or change a password; asks for the password",
		Example: "  ontosql user add ada --users users.txt\n  ontosql user add boss --superuser --users users.txt\n  printf '%s' \"$PASSWORD\" | ontosql user add ada --users users.txt",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("user add: want one NAME")
			}
			if file == "" {
				return usagef("user add: --users FILE says where the line goes")
			}
			password, err := p.askPassword(args[0])
			if err != nil {
				return err
			}
			verifier, err := auth.NewVerifier(password)
			if err != nil {
				return fmt.Errorf("user add: %w", err)
			}
			if err := auth.Add(file, args[0], verifier, superuser); err != nil {
				return fmt.Errorf("user add: %w", err)
			}
			return nil
		},
	}
	add.Flags().StringVar(&file, "users", "", "the users `file`, created with mode 0600")
	add.Flags().BoolVar(&superuser, "superuser", false, "make the user a superuser, who may change roles")
	user.AddCommand(add)
	return user
}

// askPassword reads a password twice from a terminal, or once from a pipe.
func (p *program) askPassword(name string) (string, error) {
	in, isFile := p.stdin.(*os.File)
	if !isFile || !term.IsTerminal(int(in.Fd())) {
		line, err := bufio.NewReader(p.stdin).ReadString('\n')
		if err != nil && err != io.EOF {
			return "", fmt.Errorf("read password: %w", err)
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			return "", usagef("the password is empty")
		}
		return line, nil
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(p.err, prompt)
		raw, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(p.err)
		return string(raw), err
	}
	first, err := ask("Password for " + name + ": ")
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	again, err := ask("Again: ")
	switch {
	case err != nil:
		return "", fmt.Errorf("read password: %w", err)
	case first != again:
		return "", usagef("the passwords differ")
	case first == "":
		return "", usagef("the password is empty")
	}
	return first, nil
}
