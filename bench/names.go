package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/objects"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// namedLedgers is the number of ontologies of P27, and namedCommits that of its commits.
const namedLedgers, namedCommits = 1000, 200

// names is P27: the start of a gateway with a thousand ontologies in its name service, the first query
// of one of them, and what the pushes of heads cost the commits.
func names(ctx context.Context, l *lab, r *result) error {
	folder, err := l.newDir("names")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, "store")
	store, err := dir.Open(path, dir.Options{Create: true})
	if err != nil {
		return err
	}
	if _, err := writepath.Init(ctx, store, writepath.InitOptions{URI: path, Engine: format.EngineV1}); err != nil {
		return err
	}
	kept, err := dir.Open(filepath.Join(folder, "names"), dir.Options{Create: true})
	if err != nil {
		return err
	}
	if err := registerLedgers(ctx, kept, path); err != nil {
		return err
	}
	far, err := startRemote(ctx)
	if err != nil {
		return err
	}
	defer far.close()
	near, err := far.near(ctx, "names")
	if err != nil {
		return err
	}
	if err := registerLedgers(ctx, near, path); err != nil {
		return err
	}
	for _, where := range []struct {
		name  string
		flags []string
	}{
		{"directory", []string{"--nameservice", filepath.Join(folder, "names")}},
		{"S3 at 10 ms", []string{"--nameservice", "s3://names", "--s3-endpoint-url", far.proxy.endpoint()}},
	} {
		if err := l.startNamed(ctx, r, where.name, where.flags); err != nil {
			return fmt.Errorf("%s: %w", where.name, err)
		}
	}
	return l.commitNamed(ctx, r, path, filepath.Join(folder, "names"))
}

// registerLedgers makes the records of many ontologies, all in one store.
func registerLedgers(ctx context.Context, b objstore.Bucket, store string) error {
	s := objects.Open(objects.Options{Bucket: b})
	for i := range namedLedgers {
		a := nameservice.Alias{Name: fmt.Sprint("shop", i), Branch: nameservice.DefaultBranch}
		if _, err := s.Create(ctx, nameservice.New{Alias: a, CreatedAt: time.Now()}); err != nil {
			return err
		}
		config := nameservice.Value{V: 1, Payload: fmt.Appendf(nil, `{"storage_uri":%q}`, store)}
		if _, err := s.Write(ctx, a, nameservice.NewPush(nameservice.Config, nameservice.Value{}, config)); err != nil {
			return err
		}
	}
	return nil
}

// startNamed measures starts and first queries.
func (l *lab) startNamed(ctx context.Context, r *result, where string, flags []string) error {
	var starts, firsts samples
	for range max(l.laps, 3) {
		cache, err := l.newDir("cache")
		if err != nil {
			return err
		}
		began := time.Now()
		g, err := l.serve(ctx, append([]string{"--cache-dir", cache}, flags...)...)
		if err != nil {
			return err
		}
		starts = append(starts, time.Since(began))
		began = time.Now()
		c, err := pgconn.Connect(ctx, strings.Replace(g.dsn, "/postgres", "/shop500", 1))
		if err == nil {
			err = perform(ctx, c, "SELECT 1")
			firsts = append(firsts, time.Since(began))
			c.Close(ctx)
		}
		g.stop()
		if err != nil {
			return err
		}
	}
	r.atMost(fmt.Sprintf("start with %d ontologies, %s", namedLedgers, where), milliseconds(starts.median()), "ms", 500)
	r.note("first query of one of them, "+where, milliseconds(firsts.median()), "ms")
	return nil
}

// commitNamed measures commits of one client at a gateway with a name service and at one without, in
// turns.
func (l *lab) commitNamed(ctx context.Context, r *result, store, names string) error {
	var took [2]samples
	for i, flags := range [][]string{{"--nameservice", names}, {"--storage-uri", store}} {
		cache, err := l.newDir("cache")
		if err != nil {
			return err
		}
		g, err := l.serve(ctx, append([]string{"--cache-dir", cache}, flags...)...)
		if err != nil {
			return err
		}
		defer g.stop()
		c, err := pgconn.Connect(ctx, strings.Replace(g.dsn, "/postgres", "/shop0", 1))
		if err != nil {
			return err
		}
		defer c.Close(ctx)
		if i == 0 {
			if err := perform(ctx, c, "CREATE TABLE named (id text PRIMARY KEY)"); err != nil {
				return err
			}
		}
		for k := range namedCommits {
			began := time.Now()
			if err := perform(ctx, c, fmt.Sprintf("INSERT INTO named VALUES ('%d-%d')", i, k)); err != nil {
				return err
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	r.atMost("commit beside pushes of heads, to one without a name service", float64(took[0].median())/float64(took[1].median()), "times", 1.1)
	return nil
}
