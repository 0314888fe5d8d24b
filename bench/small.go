package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/auth"
)

// entrant is the user who logs in with SCRAM.
const entrant, entrantsPassword = "entrant", "pencil and paper"

// smallStatements is P13: what a statement costs that has nothing to do, and
// what logging in before it does.
func smallStatements(ctx context.Context, l *lab, r *result) error {
	theirs, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	if err := theirs.wantPasswords(ctx); err != nil {
		return err
	}
	ours, err := l.servePasswords(ctx)
	if err != nil {
		return err
	}
	defer ours.stop()
	targets := []struct{ name, dsn string }{{"PostgreSQL", asEntrant(theirs.DSN)}, {"ontosql", ours.dsn}}
	var logins []contender
	for _, t := range targets {
		if err := refused(ctx, t.dsn); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		logins = append(logins, contender{t.name + ", SCRAM and SELECT 1", l.logins(ctx, t.dsn)})
	}
	found, err := race(l.laps, logins...)
	if err != nil {
		return err
	}
	r.atMost("connect with SCRAM and SELECT 1: ontosql / PostgreSQL", found[1].over(found[0]), "x", 1.5)
	r.times("", logins, found)
	for _, connections := range []int{1, together} {
		conns := fmt.Sprintf("%d connections: ", connections)
		if connections == 1 {
			conns = "1 connection: "
		}
		var all []contender
		for _, t := range targets {
			turn, err := l.pgbenched(ctx, t.dsn, nothing, connections)
			if err != nil {
				return err
			}
			all = append(all, contender{t.name + ", time per prepared SELECT 1", turn})
		}
		if found, err = race(l.laps*turnsOfNothing, all...); err != nil {
			return err
		}
		r.atMost(conns+"prepared SELECT 1, time per statement: ontosql / PostgreSQL", found[1].over(found[0]), "x", 1.2)
		r.times(conns, all, found)
	}
	return nil
}

// turnsOfNothing is how many turns of a statement that takes no time there are in a
// lap: each is one sample.
const turnsOfNothing = 5

// logins are new connections, one after the other, each up to its first answer.
func (l *lab) logins(ctx context.Context, dsn string) func(lap int) ([]time.Duration, error) {
	return func(int) ([]time.Duration, error) {
		took := make([]time.Duration, l.size.questions(50))
		for i := range took {
			began := time.Now()
			conn, err := pgconn.Connect(ctx, dsn)
			if err != nil {
				return nil, err
			}
			err = execute(ctx, conn, nothing)
			took[i] = time.Since(began)
			if err := firstOf(err, conn.Close(ctx)); err != nil {
				return nil, err
			}
		}
		return took, nil
	}
}

// wantPasswords has PostgreSQL ask the entrant for a password, which it trusts the
// others for.
func (p *postgres) wantPasswords(ctx context.Context) error {
	conn, err := pgconn.Connect(ctx, p.DSN)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range []string{
		"CREATE ROLE " + entrant + " LOGIN SUPERUSER PASSWORD '" + entrantsPassword + "'",
		`DO $$ BEGIN EXECUTE format('COPY (VALUES (%L), (%L)) TO %L', 'host all ` + entrant + ` 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 trust', current_setting('hba_file')); END $$`,
		"SELECT pg_reload_conf()",
	} {
		if err := execute(ctx, conn, sql); err != nil {
			return err
		}
	}
	return nil
}

// servePasswords serves a short history to who logs in with SCRAM.
func (l *lab) servePasswords(ctx context.Context) (*gateway, error) {
	short, err := l.short(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := l.newDir("small")
	if err != nil {
		return nil, err
	}
	verifier, err := auth.NewVerifier(entrantsPassword)
	if err != nil {
		return nil, err
	}
	users := filepath.Join(dir, "users")
	if err := auth.Add(users, entrant, verifier, false); err != nil {
		return nil, err
	}
	g, err := l.serve(ctx, "--storage-uri", short, "--cache-dir", filepath.Join(dir, "cache"), "--auth", "scram", "--users", users)
	if err != nil {
		return nil, err
	}
	g.dsn = asEntrant(g.dsn)
	return g, nil
}

// asEntrant is a connection string for the entrant.
func asEntrant(dsn string) string {
	_, rest, _ := strings.Cut(dsn, "@")
	return "postgres://" + entrant + ":" + strings.ReplaceAll(entrantsPassword, " ", "%20") + "@" + rest
}

// refused waits until a server refuses the entrant with another password: it has read
// what it is to do about passwords.
func refused(ctx context.Context, dsn string) error {
	for began := time.Now(); ; {
		conn, err := pgconn.Connect(ctx, strings.Replace(dsn, ":pencil", ":crayon", 1))
		if err != nil {
			return ctx.Err()
		}
		conn.Close(ctx)
		if time.Since(began) > patience {
			return fmt.Errorf("a wrong password is still taken after %s", patience)
		}
		if err := moment(ctx); err != nil {
			return err
		}
	}
}
