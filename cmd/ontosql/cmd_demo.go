package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/writepath"
)

// demoQueries are what a visitor may try; the tests run them.
var demoQueries = []string{
	`SELECT tier, count(*), round(avg(balance)::numeric, 2) AS balance FROM customer GROUP BY tier ORDER BY tier;`,
	`SELECT commit_id, valid_from::date, valid_to::date, tier, balance FROM history.customer WHERE id = 'c1' ORDER BY commit_id;`,
	`SELECT id, tier FROM as_of.customer('2025-03-31') ORDER BY id;`,
	`SELECT now.title, was.price AS january, now.price AS today FROM product now JOIN product FOR SYSTEM_TIME AS OF 3 was USING (sku) WHERE now.price <> was.price ORDER BY 1;`,
	`SELECT commit_id, id, changed_fields, before->>'tier' AS was, tier FROM changes.customer WHERE 'tier' = ANY (changed_fields) ORDER BY commit_id DESC LIMIT 5;`,
}

func (p *program) demoCommand() *cobra.Command {
	var o serveOptions
	var dir string
	var fillOnly bool
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "create a small ontology with a year of history and serve it",
		Example: "  ontosql demo\n  ontosql demo --dir ./shop --listen 127.0.0.1:6000",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := p.demoAddress(dir)
			if err != nil {
				return err
			}
			if err := p.fillDemo(cmd.Context(), a); err != nil {
				return err
			}
			if fillOnly {
				return nil
			}
			return p.serve(cmd.Context(), []namedAddress{{"onto", a}}, o, p.settingsOf(cmd), p.cfg.given(cmd, "auth"), p.welcome)
		},
	}
	o.flags(cmd.Flags())
	p.cfg.writerFlags(cmd.Flags())
	p.cfg.serverFlags(cmd.Flags())
	cmd.Flags().StringVar(&dir, "dir", "", "`directory` to keep it in, default a new temporary one")
	cmd.Flags().BoolVar(&fillOnly, "fill-only", false, "create it, serve nothing")
	return cmd
}

// demoAddress is where the demo goes: --dir, else --storage-uri, else a new
// temporary directory.
func (p *program) demoAddress(dir string) (address, error) {
	switch {
	case dir != "" && p.cfg.StorageURI != "":
		return address{}, usagef("--dir and --storage-uri both say where the demo goes")
	case dir != "":
		return parseAddress("file://" + absolute(dir))
	case p.cfg.StorageURI != "" || len(p.cfg.DB) > 0:
		return p.cfg.oneAddress()
	}
	made, err := os.MkdirTemp("", "ontosql-demo-")
	if err != nil {
		return address{}, fmt.Errorf("make a directory for the demo: %w", err)
	}
	if p.cfg.WorkspaceDir == "" {
		p.cfg.WorkspaceDir = made + "-workspace" // as temporary as the demo
	}
	return parseAddress("file://" + made)
}

// fillDemo writes the history, unless the demo is there already.
func (p *program) fillDemo(ctx context.Context, a address) error {
	b, err := p.cfg.openBucket(ctx, a, true)
	if err != nil {
		return err
	}
	err = demo.Fill(ctx, b, p.progress("writing history"))
	if errors.Is(err, writepath.ErrAlreadyInitialised) {
		return nil
	}
	if err != nil {
		return &executionError{fmt.Errorf("fill the demo: %w", err)}
	}
	return nil
}

// welcome says how to look around.
func (p *program) welcome(where string) {
	host, port, _ := strings.Cut(where, ":")
	fmt.Fprintf(p.out, "ready postgres://%s/onto\n\n", where)
	fmt.Fprintf(p.out, "Connect with\n\n  psql \"host=%s port=%s dbname=onto user=demo\"\n\nand try\n\n", host, port)
	for _, q := range demoQueries {
		fmt.Fprintf(p.out, "  %s\n", q)
	}
	fmt.Fprintf(p.out, "\nStop with Ctrl-C.\n")
}
