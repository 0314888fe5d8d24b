package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/pgerr"
)

// storesBelow are the heads of the ontologies below the root of a gateway.
func storesBelow(t *testing.T, l *ledgers) (heads []string) {
	t.Helper()
	b, err := l.cfg.openBucket(t.Context(), l.root, false)
	if err == nil {
		err = b.List(t.Context(), "", func(o objstore.Object) error {
			if strings.HasSuffix(o.Key, "/"+format.HeadKey) {
				heads = append(heads, o.Key)
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return heads
}

// TestCreateDatabase: of two gateways that create one database at the same time one does; a gateway that
// died half way leaves nothing that stands in the way; what was dropped is not there again by chance.
func TestCreateDatabase(t *testing.T) {
	for name, root := range map[string]func(t *testing.T) []string{
		"directory": func(t *testing.T) []string { return []string{"--nameservice-root", t.TempDir()} },
		"S3": func(t *testing.T) []string {
			at := testenv.S3(t)
			return []string{"--nameservice-root", "s3://" + at.Bucket + "/onto", "--s3-endpoint-url", at.Endpoint}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNames(t)
			flags := root(t)
			var gateways [2]*ledgers
			for i := range gateways {
				gateways[i] = openTestLedgers(t, n, flags)
			}
			alias := nameservice.Alias{Name: "a shop/ä", Branch: nameservice.DefaultBranch}
			if _, err := gateways[0].Create(t.Context(), nameservice.New{Alias: alias, CreatedAt: time.Now()}); err != nil { // and died
				t.Fatal(err)
			}
			var all sync.WaitGroup
			var failures [8]error
			for i := range failures {
				all.Go(func() { failures[i] = gateways[i%2].CreateDatabase(t.Context(), alias, "") })
			}
			all.Wait()
			made := 0
			for _, err := range failures {
				var said *pgerr.Error
				switch {
				case err == nil:
					made++
				case !errors.As(err, &said) || said.Code != pgerr.DuplicateDatabase:
					t.Errorf("CREATE DATABASE: %v", err)
				}
			}
			if made != 1 {
				t.Fatalf("%d of %d made the database", made, len(failures))
			}
			if stores := storesBelow(t, gateways[0]); len(stores) != 1 {
				t.Errorf("the gateways that lost have left their stores: %q", stores)
			}
			for _, g := range gateways {
				db, release, err := g.Acquire(t.Context(), alias.Name, "")
				if err != nil {
					t.Fatalf("Acquire: %v", err)
				}
				if pin, err := db.Pin(t.Context()); err != nil || pin.Head.Commit != 0 {
					t.Errorf("the new ontology: %+v, %v", pin, err)
				}
				release()
			}
			if err := nameservice.Retract(t.Context(), gateways[0], alias, "", time.Now()); err != nil {
				t.Fatal(err)
			}
			var said *pgerr.Error
			if err := gateways[1].CreateDatabase(t.Context(), alias, ""); !errors.As(err, &said) || said.Code != pgerr.DuplicateDatabase || !strings.Contains(said.Detail, "was dropped") {
				t.Errorf("CREATE DATABASE after DROP: %v", err)
			}
			r, err := gateways[0].Get(t.Context(), alias)
			if err != nil {
				t.Fatal(err)
			}
			if result, err := gateways[0].Purge(t.Context(), r); err != nil || !result.Updated {
				t.Fatalf("Purge: %+v, %v", result, err)
			}
			if err := gateways[1].CreateDatabase(t.Context(), alias, ""); err != nil {
				t.Errorf("CREATE DATABASE after the purge: %v", err)
			}
			again, err := gateways[0].Get(t.Context(), alias)
			if err != nil || storageURI(again) == storageURI(r) {
				t.Errorf("the new database has the store of the one that was dropped: %s, %v", storageURI(again), err)
			}
		})
	}
}

// openTestLedgers opens the databases of a name service without a server.
func openTestLedgers(t *testing.T, n *names, flags []string) *ledgers {
	t.Helper()
	p := &program{stdin: strings.NewReader(""), out: io.Discard, err: io.Discard, log: slog.New(slog.DiscardHandler)}
	cmd := p.serveCommand()
	p.cfg.storageFlags(cmd.Flags())
	if err := cmd.ParseFlags(append([]string{"--cache-dir", t.TempDir(), "--workspace-dir", t.TempDir()}, append(n.flags[:len(n.flags):len(n.flags)], flags...)...)); err != nil {
		t.Fatal(err)
	}
	p.cfg.RuntimeID = "test"
	g, err := p.openGateway(t.Context(), nil, gatewayUse{names: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.close(context.WithoutCancel(t.Context())) })
	return g.ledgers
}

// TestManyLedgers: a gateway of a thousand ontologies opens those that are used, and closes a database
// that nobody uses.
func TestManyLedgers(t *testing.T) {
	n := newNames(t)
	l := openTestLedgers(t, n, nil)
	store := n.store("one")
	for i := range 1000 {
		a := nameservice.Alias{Name: fmt.Sprint("shop-", i), Branch: nameservice.DefaultBranch}
		if _, err := l.Create(t.Context(), nameservice.New{Alias: a, CreatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	n.run("ns create used --storage-uri "+store, exitOK)
	g := openTestLedgers(t, n, nil)
	_, release, err := g.Acquire(t.Context(), "used", "")
	if err != nil {
		t.Fatal(err)
	}
	opened := func() *ledger {
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(g.opened) > 1 {
			t.Errorf("%d databases are open", len(g.opened))
		}
		return g.opened["used"]
	}
	one := opened()
	release()
	g.mu.Lock()
	one.since = one.since.Add(-2 * idleTime)
	g.mu.Unlock()
	g.follow(t.Context())
	within(t, "the database that nobody uses stays open", func() bool { return opened() == nil })
	_, release, err = g.Acquire(t.Context(), "used", "")
	if err != nil {
		t.Fatal(err)
	}
	release()
}
