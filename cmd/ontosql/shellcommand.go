package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandLine is the command with the flags that were given on its command line, but
// for those to leave out: to be copied into a shell.
func (c *Config) commandLine(cmd *cobra.Command, without ...string) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, name := range without {
			if f.Name == name {
				return
			}
		}
		if c.source(f) != "flag" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			if words = append(words, "--"+f.Name); f.Value.Type() != "bool" {
				words = append(words, shellWord(value))
			}
		}
	})
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// shellWord is a value as one word of a shell.
func shellWord(value string) string {
	if plainWord.MatchString(value) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
