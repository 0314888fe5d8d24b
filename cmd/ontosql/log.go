package main

import (
	"log/slog"

	"github.com/spf13/pflag"
)

// logOptions are the flags of serve that say what stands in the log, and how. The zero value is the default of all.
type logOptions struct {
	format      string
	connections bool
	statements  string
}

// The values of --log-format and --log-statement.
const (
	logText, logJSON = "text", "json"
	logNothing       = "none"
	logDefinitions   = "ddl"
)

func (o *logOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "log-format", logText, "text, or json for one object a line")
	f.BoolVar(&o.connections, "log-connections", false, "log the begin and the end of each session")
	f.StringVar(&o.statements, "log-statement", logNothing, "none, or ddl: log statements that define objects, roles and privileges, refused ones too")
}

// open makes the log of the program what the flags say.
func (o *logOptions) open(p *program) error {
	switch o.statements {
	case "", logNothing, logDefinitions:
	default:
		return usagef("--log-statement %s: want %s or %s", o.statements, logNothing, logDefinitions)
	}
	switch o.format {
	case "", logText:
	case logJSON:
		p.log = slog.New(slog.NewJSONHandler(p.err, nil))
	default:
		return usagef("--log-format %s: want %s or %s", o.format, logText, logJSON)
	}
	return nil
}
