package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// What dbt runs with, from the root of the tree.
const (
	dbtPython = ".tools/drivers/dbt/bin/python"
	dbtScript = "tests/dbt/run.py" // runs the commands that it reads
)

// dbtProject is P15: `dbt run` of a project of 20 models with 8 threads.
func dbtProject(ctx context.Context, l *lab, r *result) error {
	if _, err := os.Stat(dbtPython); err != nil {
		l.tell("dbt is not installed (make drivers): not measured")
		return nil
	}
	pg, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	ours, err := l.ontosql(ctx)
	if err != nil {
		return err
	}
	var all []contender
	for _, side := range []struct{ name, dsn string }{{"PostgreSQL", pg.DSN}, {"ontosql", ours.dsn}} {
		d, err := l.newDBT(ctx, side.dsn)
		if err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		defer d.close()
		all = append(all, contender{side.name, each(1, func(int) error { return d.run("run") })})
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atMost("dbt run, 20 models, 8 threads: ontosql / PostgreSQL", found[1].over(found[0]), "x", 1)
	r.times("dbt run: ", all, found)
	return nil
}

// dbtModels is the project: the layers that dbt's guide recommends. A name is that of a file
// without its extension. PostgreSQL and ontosql have the sources, the customers and the products.
func dbtModels() map[string]string {
	models := map[string]string{
		"stg_customers": "{{ config(materialized='view') }} select id, name, tier, balance, visits from public.customer",
		"stg_products":  "{{ config(materialized='view') }} select id, title, price, added, active from public.product",
		"stg_active":    "{{ config(materialized='view') }} select * from {{ ref('stg_products') }} where active",
		"stg_visitors":  "{{ config(materialized='view') }} select * from {{ ref('stg_customers') }} where visits > 0",
		"dim_tiers":     "select tier, count(*) as customers, avg(balance) as balance, max(visits) as visits from {{ ref('stg_customers') }} group by tier",
		"dim_years":     "select extract(year from added)::int as year, count(*) as products, sum(price) as price from {{ ref('stg_products') }} group by 1",
		"fct_visitors":  "select id, tier, balance, visits, visits / 100 as band from {{ ref('stg_visitors') }}",
		"fct_products":  "select id, price, added::date as day, active from {{ ref('stg_products') }} where id % 4 = 0",
		"fct_balances":  "select tier, visits % 10 as digit, sum(balance) as balance from {{ ref('fct_visitors') }} group by 1, 2",
		"fct_ranked":    "select id, tier, rank() over (partition by tier order by balance desc) as place from {{ ref('fct_visitors') }} where visits % 10 = 1",
		"fct_prices":    "select day, min(price) as least, max(price) as most, count(*) as products from {{ ref('fct_products') }} group by day",
		"inc_visitors":  "{{ config(materialized='incremental', unique_key='id') }} select id, balance, visits from {{ ref('fct_visitors') }} where visits >= 990",
		"inc_products":  "{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge') }} select id, price from {{ ref('fct_products') }} where id < 5000",
		"inc_days":      "{{ config(materialized='incremental') }} select day, products from {{ ref('fct_prices') }} {% if is_incremental() %} where day > (select max(day) from {{ this }}) {% endif %}",
		"mart_tiers":    "select t.tier, t.customers, b.digit, b.balance from {{ ref('dim_tiers') }} t join {{ ref('fct_balances') }} b using (tier)",
		"mart_best":     "select r.id, r.tier, t.balance from {{ ref('fct_ranked') }} r join {{ ref('dim_tiers') }} t using (tier) where place <= 10",
		"mart_years":    "select y.year, y.products, count(p.day) as days from {{ ref('dim_years') }} y left join {{ ref('fct_prices') }} p on extract(year from p.day) = y.year group by 1, 2",
		"mart_visits":   "select visits, count(*) as customers from {{ ref('inc_visitors') }} group by visits",
		"report_tiers":  "{{ config(materialized='view') }} select tier, sum(balance) as balance from {{ ref('mart_tiers') }} group by tier",
		"report_best":   "{{ config(materialized='view') }} select tier, count(*) as best from {{ ref('mart_best') }} group by tier",
	}
	return models
}

// dbt is a process that runs commands of dbt against one server.
type dbt struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	dsn string
}

// newDBT writes the project and starts the process.
func (l *lab) newDBT(ctx context.Context, dsn string) (*dbt, error) {
	at, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	dir, err := l.newDir("dbt")
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		"dbt_project.yml": "name: bench\nversion: '1.0'\nconfig-version: 2\nprofile: bench\nflags: {send_anonymous_usage_stats: false}\nmodels: {bench: {+materialized: table}}\n",
		"profiles.yml": fmt.Sprintf("bench:\n  target: dev\n  outputs:\n    dev: {type: postgres, host: %q, port: %s, user: %q, password: x, dbname: %q, schema: dbt_bench, threads: 8}\n",
			at.Host, strconv.Itoa(int(at.Port)), at.User, at.Database),
	}
	for name, sql := range dbtModels() {
		files["models/"+name+".sql"] = sql
	}
	if err := os.Mkdir(filepath.Join(dir, "models"), 0o755); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	var paths [2]string
	for i, p := range []string{dbtPython, dbtScript} {
		if paths[i], err = filepath.Abs(p); err != nil {
			return nil, err
		}
	}
	d := &dbt{cmd: exec.CommandContext(ctx, paths[0], paths[1]), dsn: dsn}
	d.cmd.Dir, d.cmd.Stderr = dir, os.Stderr
	d.cmd.Env = append(os.Environ(), "DBT_PROFILES_DIR=.", "DO_NOT_TRACK=1", "NO_COLOR=1", "TZ=UTC")
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.out = bufio.NewScanner(out)
	d.out.Buffer(nil, 16<<20)
	return d, d.cmd.Start()
}

// run runs a command, of which every model must succeed.
func (d *dbt) run(args ...string) error {
	line, err := json.Marshal(args)
	if err != nil {
		return err
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		return err
	}
	var said []string
	for d.out.Scan() {
		var o struct {
			Success bool
			Error   string
			Nodes   map[string][2]string
		}
		if !strings.HasPrefix(d.out.Text(), `{"command": `) {
			said = append(said, d.out.Text())
			continue
		}
		if err := json.Unmarshal(d.out.Bytes(), &o); err != nil {
			return err
		}
		if !o.Success || len(o.Nodes) != len(dbtModels()) {
			return fmt.Errorf("dbt %v: %d models, %s\n%s", args, len(o.Nodes), o.Error, strings.Join(said, "\n"))
		}
		return nil
	}
	return fmt.Errorf("dbt has ended: %w", d.out.Err())
}

// close ends the process and drops the schema.
func (d *dbt) close() {
	_ = d.in.Close()
	_ = d.cmd.Wait()
	if c, err := dial(context.Background(), d.dsn); err == nil {
		_, _ = c.query("DROP SCHEMA IF EXISTS dbt_bench CASCADE")
		c.close()
	}
}
