package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/cron"
	"github.com/ontosql/ontosql/eventbus/worker"
	"github.com/ontosql/ontosql/eventbus/worker/process"
	"github.com/ontosql/ontosql/eventbus/worker/webhook"
	"github.com/ontosql/ontosql/gateway/introspect"
)

// workOptions are the flags of events work.
type workOptions struct {
	namespace, handler string
	types              []string
	exec, sql, webhook string
	args               []string // of the program
	secretFile         string
	timeout            time.Duration // of the webhook
	emit               bool
	schedules          []string
	concurrency        int
	maxAttempts        int64
	lease, poll        time.Duration
}

// shortestEventLease is the shortest lease that can be set: a third of it is there for the requests
// that renew it.
const shortestEventLease = time.Second

func (p *program) eventsWorkCommand() *cobra.Command {
	var o workOptions
	cmd := &cobra.Command{
		Use:   "work [-- ARGUMENT...]",
		Short: "handle events by a program, SQL or a webhook, and send events by a schedule",
		Long: "events work claims the events of some types for a handler, hands each to a program (as JSON on its\n" +
			"standard input; exit status 0 is success), to SQL ($1 payload, $2 type, $3 id; one transaction) or to\n" +
			"a webhook (POST), and acknowledges it, or gives it back to be tried again later. Any number of workers\n" +
			"may share a handler. SIGINT and SIGTERM end it when the handlers that run have ended.",
		Example: "  ontosql events work --storage-uri /srv/onto --namespace shop --handler mailer --on order.placed --exec ./mail.sh\n" +
			"  ontosql events work --storage-uri /srv/onto --handler totals --on order.placed --sql totals.sql --concurrency 4\n" +
			"  ontosql events work --storage-uri /srv/onto --schedule '0 6 * * 1-5 report.due'",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			if err := o.check(); err != nil {
				return err
			}
			schedules, err := parseSchedules(o.schedules)
			if err != nil {
				return err
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			return p.workOn(cmd.Context(), a, &o, schedules, p.settingsOf(cmd))
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	p.cfg.workspaceFlags(cmd.Flags())
	f := cmd.Flags()
	defaultNamespaceFlag(cmd, &o.namespace)
	f.StringVar(&o.handler, "handler", "", "the `name` of the handler in claims; workers that share it share the events")
	f.StringArrayVar(&o.types, "on", nil, "handle events of this `type`, repeatable")
	f.StringVar(&o.exec, "exec", "", "run this `program` for each event; its arguments follow --")
	f.StringVar(&o.sql, "sql", "", "run the SQL of this `file` for each event")
	f.StringVar(&o.webhook, "webhook", "", "send each event to this `URL`")
	f.StringVar(&o.secretFile, "webhook-secret-file", "", "a `file` with the secret that signs the requests")
	f.DurationVar(&o.timeout, "webhook-timeout", webhook.DefaultTimeout, "how long the webhook may take to answer")
	f.BoolVar(&o.emit, "emit", false, "send the JSON lines on the program's standard output as events that follow")
	f.StringArrayVar(&o.schedules, "schedule", nil, "send an event at times in UTC: `'M H DAY MONTH WEEKDAY TYPE [PAYLOAD]'`, repeatable")
	f.IntVar(&o.concurrency, "concurrency", 1, "events handled at the same time")
	f.Int64Var(&o.maxAttempts, "max-attempts", eventbus.MaxAttempts, "failed attempts after which an event is a dead letter")
	f.DurationVar(&o.lease, "lease", eventbus.DefaultLease, "how long an event is kept from other workers after this one died")
	f.DurationVar(&o.poll, "poll", worker.DefaultPoll, "how often to look for events")
	return cmd
}

func (o *workOptions) check() error {
	actions := 0
	for _, given := range []string{o.exec, o.sql, o.webhook} {
		if given != "" {
			actions++
		}
	}
	switch {
	case actions > 1, actions == 0 && len(o.schedules) == 0:
		return usagef("events work: want one of --exec, --sql and --webhook, or --schedule")
	case actions == 1 && (o.handler == "" || len(o.types) == 0):
		return usagef("events work: want --handler and --on")
	case actions == 0 && (o.handler != "" || len(o.types) > 0):
		return usagef("events work: --handler and --on want --exec, --sql or --webhook")
	case o.exec == "" && (o.emit || len(o.args) > 0):
		return usagef("events work: --emit and arguments want --exec")
	case o.webhook == "" && o.secretFile != "":
		return usagef("events work: --webhook-secret-file wants --webhook")
	case o.concurrency < 1 || o.concurrency > 1000:
		return usagef("--concurrency %d: want 1 to 1000", o.concurrency)
	case o.maxAttempts < 1 || o.maxAttempts > math.MaxInt32:
		return usagef("--max-attempts %d: want 1 or more", o.maxAttempts)
	case o.lease < shortestEventLease || o.lease > 24*time.Hour:
		return usagef("--lease %v: want 1s to 24h", o.lease)
	case o.poll <= 0 || o.timeout <= 0:
		return usagef("--poll and --webhook-timeout: want more than 0")
	}
	return nil
}

// parseSchedules reads the texts of --schedule.
func parseSchedules(texts []string) ([]worker.Schedule, error) {
	var list []worker.Schedule
	for _, text := range texts {
		const fields = 5
		words := strings.Fields(text)
		if len(words) <= fields {
			return nil, usagef("--schedule %q: want five fields and a type", text)
		}
		at, err := cron.Parse(strings.Join(words[:fields], " "))
		if err != nil {
			return nil, usagef("--schedule: %w", err)
		}
		rest := text
		for _, word := range words[:fields+1] { // the payload stays as it was given
			rest = strings.TrimSpace(rest)[len(word):]
		}
		s := worker.Schedule{At: at, Type: words[fields], Payload: []byte(strings.TrimSpace(rest))}
		if len(s.Payload) == 0 {
			s.Payload = []byte("{}")
		}
		if _, err := eventbus.Document(s.Payload); err != nil {
			return nil, usagef("--schedule %q: payload: %w", text, err)
		}
		if err := eventbus.CheckName("type", s.Type); err != nil {
			return nil, usagef("--schedule %q: %w", text, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// workOn runs a worker until ctx ends.
func (p *program) workOn(ctx context.Context, a address, o *workOptions, schedules []worker.Schedule, settings []introspect.Option) error {
	var handler worker.Handler
	var bus *openedBus
	var err error
	switch {
	case o.exec != "":
		handler, err = p.programHandler(o)
	case o.webhook != "":
		handler, err = webhookHandler(o)
	case o.sql != "":
		sql, failed := p.openSQLHandler(ctx, a, o, settings)
		if failed != nil {
			return failed
		}
		defer sql.close(ctx)
		if handler = sql; sql.file != nil { // all of a process that use a file share what they know of it
			if _, err := sql.file.Pin(ctx); err != nil {
				return &openError{err}
			}
			bus = p.busOfFile(ctx, sql.file)
		}
	}
	if err != nil {
		return err
	}
	if bus == nil {
		if bus, err = p.openWorkerBus(ctx, a); err != nil {
			return err
		}
	}
	defer bus.close()
	session, err := newWorkerSession(o)
	if err != nil {
		return err
	}
	p.log.InfoContext(ctx, "worker started", "namespace", o.namespace, "handler", o.handler, "session", session.ID)
	return busError(worker.Run(ctx, worker.Options{
		Bus: bus, Session: session, Name: o.handler, Types: o.types, Handler: handler, Schedules: schedules,
		Concurrency: o.concurrency, MaxAttempts: o.maxAttempts, Lease: o.lease, Poll: o.poll, Drain: drainLimit, Logger: p.log,
	}))
}

// newWorkerSession is the session of this process, whose metadata has the members of the original's
// and the name of the handler.
func newWorkerSession(o *workOptions) (eventbus.NewSession, error) {
	host, _ := os.Hostname()
	about := map[string]any{"hostname": host, "pid": os.Getpid(), "namespace": o.namespace, "program": "ontosql"}
	if o.handler != "" {
		about["handler_id"] = o.handler
	}
	metadata, err := json.Marshal(about)
	return eventbus.NewSession{Namespace: o.namespace, ID: uuid.NewString(), Metadata: metadata}, err
}

func (p *program) programHandler(o *workOptions) (worker.Handler, error) {
	path, err := exec.LookPath(o.exec)
	if err != nil {
		return nil, usagef("--exec: %w", err)
	}
	return process.New(process.Options{Path: path, Args: o.args, Stdout: p.out, Stderr: p.err, Emit: o.emit}), nil
}

func webhookHandler(o *workOptions) (worker.Handler, error) {
	var secret []byte
	if o.secretFile != "" {
		text, err := os.ReadFile(o.secretFile)
		if err != nil {
			return nil, usagef("--webhook-secret-file: %w", err)
		}
		if secret = bytes.TrimRight(text, "\r\n"); len(secret) == 0 {
			return nil, usagef("--webhook-secret-file %s: the file is empty", o.secretFile)
		}
	}
	h, err := webhook.New(webhook.Options{URL: o.webhook, Secret: secret, Timeout: o.timeout})
	if err != nil {
		return nil, usagef("--webhook: %w", err)
	}
	return h, nil
}

// sqlFile is the text of a file of SQL.
func sqlFile(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", usagef("--sql: %w", err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", usagef("--sql %s: the file is empty", name)
	}
	return string(text), nil
}
