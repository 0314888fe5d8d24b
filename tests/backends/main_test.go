// Package backends runs the same ontology on every backend and expects the same answers. The
// stories of testdata have one expected answer for all backends; differential_test.go runs
// random programs on all of them and compares. docs/sqlite.md lists the unavoidable differences
// with their reasons. In filewriters_test.go several programs, the original among them, write
// one SQLite file while they are killed.
package backends

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/s3"
	"github.com/ontosql/ontosql/sqlite/check"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/writepath"
)

// program is the path of the binary under test, made by TestMain.
var program string

func TestMain(m *testing.M) {
	os.Exit(testenv.Main("tests/backends", func(built, _ string) (int, error) {
		program = built
		return m.Run(), nil
	}))
}

// backend is one way to keep an ontology.
type backend struct {
	name string
	// fresh makes an empty ontology of an engine version, and what opens it. When the
	// test ends, every rule of its format must hold.
	fresh func(t *testing.T, engine string) gatewaytest.Options
}

var backends = []backend{
	{"memory", func(t *testing.T, engine string) gatewaytest.Options {
		return overBucket(t, mem.New("onto"), engine)
	}},
	{"directory", func(t *testing.T, engine string) gatewaytest.Options {
		b, err := dir.Open(t.TempDir(), dir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return overBucket(t, b, engine)
	}},
	{"s3", func(t *testing.T, engine string) gatewaytest.Options {
		at := testenv.S3(t)
		b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Prefix: "onto", Endpoint: at.Endpoint})
		if err != nil {
			t.Fatal(err)
		}
		return overBucket(t, b, engine)
	}},
	{"sqlite", func(t *testing.T, engine string) gatewaytest.Options {
		path := filepath.Join(t.TempDir(), "onto.db")
		if _, err := initdb.Init(t.Context(), path, initdb.Options{Engine: engine}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			report, err := check.Run(context.WithoutCancel(t.Context()), path, check.Options{Data: true, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				t.Errorf("%s: %+v", path, f)
			}
		})
		return gatewaytest.Options{SQLite: path}
	}},
}

func overBucket(t *testing.T, b objstore.Bucket, engine string) gatewaytest.Options {
	t.Helper()
	if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{Engine: engine}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { maintaintest.Clean(t, b) })
	return gatewaytest.Options{Bucket: b}
}

// serve opens a gateway over a fresh ontology of a backend until the test ends.
func (b *backend) serve(t *testing.T, engine string, mirrored bool) (dsn string) {
	t.Helper()
	o := b.fresh(t, engine)
	o.Mirror = mirrored
	g, err := gatewaytest.Open(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g.Listen(t)
}

var engines = []string{format.EngineV1, format.EngineV2}
