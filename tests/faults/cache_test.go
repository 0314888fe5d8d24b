package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// tmpfs mounts a file system of this size, in KiB, on a new directory. It needs
// root and a kernel that lets it.
func tmpfs(t *testing.T, kib int) string {
	t.Helper()
	path := t.TempDir()
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
		t.Skipf("cannot make a disk that is full: mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", path, err)
		}
	})
	return path
}

// fillUp writes a file until the disk is full.
func fillUp(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for piece := make([]byte, 4096); ; {
		if _, err := f.Write(piece); err != nil {
			return path
		}
	}
}

const demoTiers = `SELECT count(*), count(DISTINCT tier) FROM customer`

// TestCacheDiskFull fills the disk below the cache: statements that need no new
// file answer, the others are 53100, and the store is untouched.
func TestCacheDiskFull(t *testing.T) {
	t.Parallel()
	store := copyOfDemo(t)
	before := snapshotOf(t, store)
	cache := tmpfs(t, 16<<10)
	g := serve(t, nil, "--cache-dir", cache, "--storage-uri", store)
	c := g.connect(t, "onto")
	c.answers(t, demoTiers, "40|3")
	ballast := fillUp(t, cache)
	c.answers(t, demoTiers, "40|3")
	_, err := c.ask(t, `SELECT count(*) FROM history.purchase`)
	if err != nil { // evicting what the first statement brought may have made room
		wantError(t, "files for which there is no room", err, "53100", "no space left", "The store is not affected")
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	c.answers(t, demoTiers, "40|3")
	c.answers(t, `SELECT count(*) > 100 FROM history.purchase`, "t")
	checkUntouched(t, store, before)
}

// TestCacheDiskTooSmall runs with a cache disk that is smaller than what one statement needs.
// The statement fails with 53100, even after everything else has been evicted.
func TestCacheDiskTooSmall(t *testing.T) {
	t.Parallel()
	store := copyOfDemo(t)
	before := snapshotOf(t, store)
	cache := tmpfs(t, 256)
	g := serve(t, nil, "--cache-dir", cache, "--storage-uri", store)
	c := g.connect(t, "onto")
	c.refuses(t, `SELECT count(*) FROM history.customer`, "53100", "no space left", "--cache-dir")
	c.answers(t, `SHOW server_encoding`, "UTF8")
	command(t, nil, "sql", "--cache-dir", cache, "--storage-uri", store, "-c", `SELECT count(*) FROM history.customer`).
		check(t, 4, "no space left", "The store is not affected")
	checkUntouched(t, store, before)
}

// TestCacheDeleted removes the cache directory under a running gateway: it may
// be deleted at any time.
func TestCacheDeleted(t *testing.T) {
	t.Parallel()
	store := copyOfDemo(t)
	cache := filepath.Join(t.TempDir(), "cache")
	g := serve(t, nil, "--cache-dir", cache, "--storage-uri", store)
	c := g.connect(t, "onto")
	c.answers(t, demoTiers, "40|3")
	for _, part := range []string{"files-v3/*", "chains/*", "spill/*", ""} {
		gone, err := filepath.Glob(filepath.Join(cache, part))
		if err != nil || len(gone) == 0 && part != "spill/*" {
			t.Fatalf("nothing at %s below the cache directory (%v)", part, err)
		}
		for _, path := range gone {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		c.answers(t, demoTiers, "40|3")
		g.connect(t, "onto").answers(t, `SELECT count(*) > 100 FROM history.purchase`, "t")
		c.answers(t, `SELECT count(*) FROM ontosql.commits`, "54")
	}
}

// TestCacheDirectoryUnusable starts a gateway whose cache path is not writable or is not a
// directory.
func TestCacheDirectoryUnusable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	readOnly := tmpfs(t, 64)
	if err := syscall.Mount("", readOnly, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("cannot make a read-only file system: %v", err)
	}
	for name, cache := range map[string]string{
		"read-only":            readOnly,
		"below one":            filepath.Join(readOnly, "new"),
		"a file":               file,
		"below a file":         filepath.Join(file, "new"),
		"a place in /proc/sys": "/proc/sys/ontosql",
	} {
		t.Run(name, func(t *testing.T) {
			for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"sql", "-c", "SELECT 1"}, {"info"}} {
				command(t, nil, append(args, "--storage-uri", demoDir, "--cache-dir", cache)...).check(t, 5, "cache directory", strings.TrimSuffix(cache, "/new"))
			}
		})
	}
}

// TestOneCacheForTwo lets two gateways share a cache directory while clients
// ask both, and kills one of them.
func TestOneCacheForTwo(t *testing.T) {
	t.Parallel()
	store, cache := copyOfDemo(t), t.TempDir()
	gateways := []*gateway{
		serve(t, nil, "--cache-dir", cache, "--storage-uri", store, "--cache-size", "64KiB"),
		launch(t, nil, "--cache-dir", cache, "--storage-uri", store),
	}
	ask := func(g *gateway) {
		c := g.connect(t, "onto")
		for range 5 {
			c.answers(t, demoTiers, "40|3")
			c.answers(t, `SELECT count(*) FROM as_of.customer(2)`, "5")
			c.answers(t, `SELECT count(*) FROM ontosql.commits`, "54")
		}
	}
	var all sync.WaitGroup
	for _, g := range append(gateways, gateways...) {
		all.Go(func() { ask(g) })
	}
	all.Wait()
	all.Go(func() { ask(gateways[0]) })
	gateways[1].signal(t, syscall.SIGKILL)
	all.Wait()
	ask(serve(t, nil, "--cache-dir", cache, "--storage-uri", store))
}

// TestKilledAndStarted kills a gateway while it runs its first statements. The next gateway on
// the same cache directory answers correctly.
func TestKilledAndStarted(t *testing.T) {
	t.Parallel()
	store, cache := copyOfDemo(t), t.TempDir()
	for range 4 {
		g := launch(t, nil, "--cache-dir", cache, "--storage-uri", store)
		c := g.connect(t, "onto")
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = c.Exec(t.Context(), `SELECT count(*) FROM history.customer, history.purchase, history.customer x`).ReadAll()
		}()
		waitFor(t, "a file in the cache", func() bool {
			found, _ := filepath.Glob(filepath.Join(cache, "files-v3", "*"))
			return len(found) > 0
		})
		g.signal(t, syscall.SIGKILL)
		<-done
	}
	// A power failure leaves files whose content is not what was written.
	files, err := filepath.Glob(filepath.Join(cache, "files-v3", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in the cache: %v", err)
	}
	for i, file := range files {
		if i%2 == 0 {
			continue
		}
		if err := os.Truncate(file, 7); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := filepath.Glob(filepath.Join(cache, "chains", "*", "*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no manifest log in the cache: %v", err)
	}
	for _, log := range logs {
		body, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(log, append(body[:len(body)/2], "\x00\x00 torn"...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g := serve(t, nil, "--cache-dir", cache, "--storage-uri", store)
	c := g.connect(t, "onto")
	c.answers(t, demoTiers, "40|3")
	c.answers(t, `SELECT count(*) FROM ontosql.commits`, "54")
	c.answers(t, `SELECT count(*) FROM history.purchase`, onlyValue(t, demoDir, `SELECT count(*) FROM history.purchase`))
}

// onlyValue is what a fresh process with a fresh cache answers.
func onlyValue(t *testing.T, store, sql string) string {
	t.Helper()
	got := command(t, nil, "sql", "--format", "csv", "--cache-dir", t.TempDir(), "--storage-uri", store, "-c", sql)
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != 0 || len(lines) != 2 {
		t.Fatalf("%s: exit code %d, %q, %s", sql, got.code, got.stdout, got.stderr)
	}
	return lines[1]
}

// TestDirectoryStoreWithoutPermission lets a gateway that is not root read a
// directory it has no permission for.
func TestDirectoryStoreWithoutPermission(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can start a process under another account")
	}
	store, err := os.MkdirTemp("", "ontosql-faults-denied-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(store) })
	if err := os.CopyFS(store, os.DirFS(demoDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(store, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(store, "meta", "head.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The binary lies below a directory of root's.
	open, err := os.MkdirTemp("", "ontosql-faults-open-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(open) })
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(open, "ontosql")
	// Not by a file of this process: another test's fork would inherit it, and a
	// program that is open for writing cannot be started.
	if out, err := exec.CommandContext(t.Context(), "cp", program, copied).CombinedOutput(); err != nil {
		t.Fatalf("copy the program: %v\n%s", err, out)
	}
	const nobody = 65534
	cmd := exec.CommandContext(t.Context(), copied, "sql", "--storage-uri", store, "--cache-dir", filepath.Join(open, "cache"), "-c", demoTiers)
	cmd.Dir = open
	cmd.Env = []string{"HOME=" + open, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 4 || !strings.Contains(string(out), "permission denied") || !strings.Contains(string(out), "meta/head.json") {
		t.Errorf("a head that may not be read: exit code %d, want 4 and a denied meta/head.json; it said\n%s", code, out)
	}
}
