package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "data")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ uri, backend, shown string }{
		{"s3://bucket/a/b", "s3", "s3://bucket/a/b"},
		{"s3://bucket", "s3", "s3://bucket"},
		{"s3://bucket/a/", "s3", "s3://bucket/a"},
		{"file://" + folder, "file", "file://" + folder},
		{folder, "file", "file://" + folder},
		{filepath.Join(folder, "new"), "file", "file://" + filepath.Join(folder, "new")},
		{file, "sqlite", "sqlite:///" + file},
		{filepath.Join(folder, "onto.db"), "sqlite", "sqlite:///" + filepath.Join(folder, "onto.db")},
		{filepath.Join(folder, "onto.SQLite3"), "sqlite", "sqlite:///" + filepath.Join(folder, "onto.SQLite3")},
		{"sqlite:////srv/onto.db", "sqlite", "sqlite:////srv/onto.db"},
		{"sqlite:///srv/onto.db", "sqlite", "sqlite:////srv/onto.db"},
		{"sqlite://onto/main", "sqlite", "sqlite:///" + filepath.Join(here, "onto/main")},
	} {
		a, err := parseAddress(c.uri)
		if err != nil || a.backend != c.backend || a.uri() != c.shown {
			t.Errorf("parseAddress(%q) is %s %q, %v; want %s %q", c.uri, a.backend, a.uri(), err, c.backend, c.shown)
		}
	}
	for _, uri := range []string{"", "gs://bucket/a", "file://host/dir", "s3:///prefix", "sqlite://", "sqlite:onto.db", "sqlite:///:memory:"} {
		if a, err := parseAddress(uri); exitCode(err) != exitUsage {
			t.Errorf("parseAddress(%q) is %+v, %v; want a usage error", uri, a, err)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"1048576": 1 << 20, "1KiB": 1 << 10, "1.5GiB": 3 << 29, "2 MB": 2e6, "10g": 10 << 30} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("parseSize(%q) is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1 parsec", "0"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("parseSize(%q) is %d, want an error", text, got)
		}
	}
}

// TestSettingsOrder fills one setting from each source in turn: defaults, file,
// environment, flag, each over the ones before.
func TestSettingsOrder(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "settings.yaml")
	if err := os.WriteFile(file, []byte("s3-lock-timeout-ms: 1\ns3-lease-ttl-ms: 1\ns3-region: from-file\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ONTOSQL_S3_LOCK_TIMEOUT_MS", "2")
	t.Setenv("ONTOSQL_S3_LEASE_TTL_MS", "2")
	t.Setenv("ONTOLOGIA_S3_ENDPOINT", "http://from-environment")
	var p program
	p.out, p.err = &bytes.Buffer{}, &bytes.Buffer{}
	root := p.command()
	root.SetArgs([]string{"info", "--config", file, "--s3-lease-ttl-ms", "3", "--s3-endpoint", "http://from-flag", "--storage-uri", filepath.Join(folder, "store")})
	if err := root.ExecuteContext(context.Background()); exitCode(err) != exitOpen {
		t.Fatalf("info without a store: %v, want an error of opening", err)
	}
	c := p.cfg
	if c.S3LockTimeoutMS != 2 || c.S3LeaseTTLMS != 3 || c.S3Region != "from-file" || c.S3Endpoint != "http://from-flag" || c.S3RequestSecs != 10 {
		t.Errorf("settings are %+v", c)
	}
	want := map[string]string{
		"s3-lock-timeout-ms": "environment", "s3-lease-ttl-ms": "flag", "s3-region": "file",
		"s3-endpoint-url": "flag", "s3-request-timeout-s": "default",
	}
	for name, source := range want {
		if got := c.source(root.PersistentFlags().Lookup(name)); got != source {
			t.Errorf("%s comes from %s, want %s", name, got, source)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"frobnicate", exitUsage, `unknown command "frobnicate"`},
		{"serve", exitUsage, "nothing to serve"},
		{"serve --nosuch", exitUsage, "unknown flag"},
		{"serve --storage-uri /tmp/x --listen 0.0.0.0:0", exitUsage, "no loopback address"},
		{"serve --storage-uri /tmp/x --head-max-age=-1s", exitUsage, "--head-max-age -1s: want 0 or more"},
		{"serve --storage-uri /tmp/x --head-max-age 5", exitUsage, "missing unit"},
		{"serve --storage-uri /tmp/x --head-max-age soon", exitUsage, "--head-max-age"},
		{"serve --db onto.db", exitUsage, "NAME=URI"},
		{"serve --auto-compact --db a=sqlite:////tmp/a.db --db b=sqlite:////tmp/b.db", exitUsage, "no data files to merge"},
		{"serve --auto-compact=often --storage-uri /tmp/x", exitUsage, "--auto-compact"},
		{"serve --log-format xml --storage-uri /tmp/x", exitUsage, "--log-format xml: want text or json"},
		{"serve --log-statement all --storage-uri /tmp/x", exitUsage, "--log-statement all: want none or ddl"},
		{"serve --db a=/x --db a=/y", exitUsage, `two databases are named "a"`},
		{"serve --db a@b=/x", exitUsage, "cannot be a database name"},
		{"info --db x.db", exitOpen, "not initialised"},
		{"info --db x.db --storage-uri s3://bucket/x", exitUsage, "different ontologies"},
		{"info --db /tmp/a.db --storage-uri sqlite:////tmp/a.db", exitOpen, "not initialised"},
		{"info --db /tmp/a.db --storage-uri sqlite:///tmp/a.db", exitOpen, "not initialised"},
		{"info --db a.db --storage-uri sqlite://a.db", exitOpen, "not initialised"},
		{"info --db a.db --storage-uri sqlite:///a.db", exitUsage, "different ontologies"},
		{"info", exitOpen, "not initialised"},
		{"preflight --db x.db", exitUsage, "is a SQLite file"},
		{"sql --storage-uri /tmp/x", exitUsage, "-c SQL or -f FILE"},
		{"sql --storage-uri /tmp/x -c x --format yaml", exitUsage, "table, csv or json"},
		{"init --storage-uri /tmp/x --engine-version v3", exitUsage, "v1 or v2"},
		{"user", exitUsage, "subcommand"},
		{"commits --storage-uri /tmp/x --meta nothing", exitUsage, "KEY=VALUE"},
		{"demo --dir /tmp/x --storage-uri /tmp/y", exitUsage, "both say where"},
	} {
		var out, err bytes.Buffer
		code := run(t.Context(), strings.Fields(c.args), strings.NewReader(""), &out, &err)
		if code != c.code || !strings.Contains(err.String(), c.says) {
			t.Errorf("ontosql %s: exit %d, stderr %q; want exit %d and %q", c.args, code, err.String(), c.code, c.says)
		}
	}
}

func TestLineAt(t *testing.T) {
	line, number, column := lineAt("SELECT 1;\nSELECT é, nosuch\nFROM t", 21)
	if line != "SELECT é, nosuch" || number != 2 || column != 10 {
		t.Errorf("lineAt gave %q, line %d, column %d; want the second line, column 10", line, number, column)
	}
}
