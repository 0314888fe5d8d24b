package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/wire"
)

func (p *program) sqlCommand() *cobra.Command {
	var commands []string
	var file, layout, asOf string
	cmd := &cobra.Command{
		Use:   "sql",
		Short: "run SQL without a server",
		Example: "  ontosql sql --storage-uri /srv/onto -c 'SELECT * FROM customer'\n" +
			"  ontosql sql --storage-uri /srv/onto -f report.sql --format csv --as-of 2026-02-10",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			texts, err := p.sqlTexts(commands, file)
			if err != nil {
				return err
			}
			if p.cfg.JSON {
				layout = "json"
			}
			print, ok := layouts[layout]
			if !ok {
				return usagef("--format %s: want table, csv or json", layout)
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			return p.runSQL(cmd.Context(), a, texts, asOf, print, p.settingsOf(cmd))
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	p.cfg.workspaceFlags(cmd.Flags())
	cmd.Flags().StringArrayVarP(&commands, "command", "c", nil, "the `SQL` to run; several one after the other, up to the first that fails")
	cmd.Flags().StringVarP(&file, "file", "f", "", "a `file` of SQL to run, - for standard input")
	cmd.Flags().StringVar(&layout, "format", "table", "table, csv or json")
	cmd.Flags().StringVar(&asOf, "as-of", "", "read at this `point`: a commit, HEAD~n, a tag or a timestamp")
	return cmd
}

func (p *program) sqlTexts(commands []string, file string) ([]string, error) {
	switch {
	case (len(commands) == 0) == (file == ""), slices.Contains(commands, ""):
		return nil, usagef("sql: want -c SQL or -f FILE")
	case file == "":
		return commands, nil
	case file == "-":
		raw, err := io.ReadAll(p.stdin)
		return []string{string(raw)}, err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, usagef("sql: %w", err)
	}
	return []string{string(raw)}, nil
}

// runSQL runs texts in one session, up to the first that fails, and prints their results.
func (p *program) runSQL(ctx context.Context, a address, texts []string, asOf string, print layoutFunc, settings []introspect.Option) error {
	running := ""
	err := p.inSession(ctx, a, asOf, settings, func(conn *pgconn.PgConn) error {
		for _, running = range texts {
			results := conn.Exec(ctx, running)
			for results.NextResult() {
				if err := print(p.out, results.ResultReader()); err != nil {
					return errors.Join(err, results.Close())
				}
			}
			if err := results.Close(); err != nil {
				return err
			}
		}
		return nil
	})
	var said *pgconn.PgError
	if errors.As(err, &said) {
		p.printSaid(said, running)
		return &alreadySaid{&executionError{err}}
	}
	return err
}

// inSession runs work in a session of a gateway of its own, over a pipe: the
// same session as over the wire. Warnings go to stderr.
func (p *program) inSession(ctx context.Context, a address, asOf string, settings []introspect.Option, work func(*pgconn.PgConn) error) error {
	g, err := p.openSole(ctx, a, gatewayUse{mirrored: true, settings: settings})
	if err != nil {
		return err
	}
	defer g.close(ctx)
	return p.overPipe(ctx, g, asOf, work)
}

// soleName is the name of the database of a command that opens one.
const soleName = "onto"

// openSole opens the gateway of one ontology for a command, whose user is a
// superuser. What the gateway would log, the command's answer says, but for errors
// that nothing explains.
func (p *program) openSole(ctx context.Context, a address, use gatewayUse) (*openedGateway, error) {
	quiet := *p
	quiet.log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelError}))
	return quiet.openGateway(ctx, []namedAddress{{soleName, a}}, use)
}

// overPipe runs work in a session of an opened gateway.
func (p *program) overPipe(ctx context.Context, g *openedGateway, asOf string, work func(*pgconn.PgConn) error) error {
	pipe := newPipeListener()
	server := wire.New(wire.Options{Handler: g.handler, Logger: g.log})
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.WithoutCancel(ctx), pipe) }()
	defer func() {
		_ = server.Shutdown(context.WithoutCancel(ctx))
		<-served
	}()
	conn, err := p.connect(ctx, pipe, asOf)
	if err != nil {
		return &executionError{err}
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := work(conn); err != nil {
		return &executionError{err}
	}
	return nil
}

func (p *program) connect(ctx context.Context, pipe *pipeListener, asOf string) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig("host=localhost port=1 user=ontosql dbname=onto sslmode=disable")
	if err != nil {
		return nil, err
	}
	config.Fallbacks = nil
	config.DialFunc = func(context.Context, string, string) (net.Conn, error) { return pipe.dial() }
	config.LookupFunc = func(context.Context, string) ([]string, error) { return []string{"127.0.0.1"}, nil }
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { p.printSaid((*pgconn.PgError)(n), "") }
	if asOf != "" {
		config.RuntimeParams["ontosql.as_of"] = asOf
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return nil, said // without the address of the pipe
	}
	return conn, err
}

// printSaid prints an error or a notice as psql does, with the line of the text that it points at.
func (p *program) printSaid(e *pgconn.PgError, text string) {
	fmt.Fprintf(p.err, "%s:  %s\n", e.Severity, e.Message)
	if e.Position > 0 {
		line, number, column := lineAt(text, int(e.Position))
		prefix := fmt.Sprintf("LINE %d: ", number)
		fmt.Fprintf(p.err, "%s%s\n%s^\n", prefix, line, strings.Repeat(" ", len(prefix)+column))
	}
	if e.Detail != "" {
		fmt.Fprintf(p.err, "DETAIL:  %s\n", e.Detail)
	}
	if e.Hint != "" {
		fmt.Fprintf(p.err, "HINT:  %s\n", e.Hint)
	}
}

// lineAt is the line of a position (1-based, in characters), its number and the
// characters before the position in it.
func lineAt(text string, position int) (line string, number, column int) {
	before := []rune(text)
	before = before[:min(position-1, len(before))]
	number = 1 + strings.Count(string(before), "\n")
	line = strings.Split(text, "\n")[number-1]
	for i := len(before) - 1; i >= 0 && before[i] != '\n'; i-- {
		column++
	}
	return line, number, column
}

// A layoutFunc prints one result.
type layoutFunc func(w io.Writer, r *pgconn.ResultReader) error

var layouts = map[string]layoutFunc{"table": printResultTable, "csv": printResultCSV, "json": printResultJSON}

func printResultCSV(w io.Writer, r *pgconn.ResultReader) error {
	out := csv.NewWriter(w)
	if names := resultNames(r); len(names) > 0 {
		if err := out.Write(names); err != nil {
			return err
		}
	}
	for r.NextRow() {
		values := r.Values()
		record := make([]string, len(values))
		for i, v := range values {
			record[i] = string(v)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	_, err := r.Close()
	return errors.Join(err, out.Error())
}

func resultNames(r *pgconn.ResultReader) []string {
	var names []string
	for _, f := range r.FieldDescriptions() {
		names = append(names, f.Name)
	}
	return names
}
