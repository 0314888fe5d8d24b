package mirror_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
)

// victimVar is set in the environment of a process that the test kills.
const victimVar = "ONTOSQL_MIRROR_VICTIM"

// killSteps is the number of commits in the world of TestKilledProcess.
const killSteps = 24

// step makes commit n of that world, the same in every process. Some commits drop a type, so
// that its tables are built again and the file is written.
func (w *world) step(n int) {
	if n > 8 && n%5 == 0 {
		w.drop(n % len(w.types))
		return
	}
	w.commit()
}

// TestKilledProcess kills processes that follow a history at different commits. The next
// process on the same file must answer as the data files do, from the tables of an earlier
// commit or from new ones.
func TestKilledProcess(t *testing.T) {
	const seed = 60
	w := newWorld(t, seed)
	if os.Getenv(victimVar) != "" {
		m := w.mirror(1 << 30)
		fmt.Println(w.dir)
		for n := range killSteps {
			w.step(n + 1)
			w.view().settled(m, customer, product, purchase)
			fmt.Println("step", n+1)
		}
		select {} // until it is killed
	}
	for n := range killSteps {
		w.step(n + 1)
	}
	kept := 0
	for range 4 {
		last := 6 + w.rand.IntN(killSteps-6)
		m := mirror.Open(t.Context(), mirror.Options{Engine: w.engine, Dir: filepath.Join(runVictim(t, w, last), "mirror"), Budget: 1 << 30})
		for _, s := range m.Status() {
			if s.State != "ready" || s.Through < 1 || s.Through > killSteps {
				t.Errorf("killed at commit %d, the file has %+v", last, s)
			}
			kept++
		}
		v := w.view()
		v.check(m)
		if _, err := compare(v, w.conn(), m, rand.New(rand.NewPCG(seed, 2)), 10); err != nil {
			t.Errorf("killed at commit %d: %v", last, err)
		}
		v.settled(m, customer, product, purchase)
		v.check(m)
		m.Close()
	}
	if kept == 0 {
		t.Error("no process left any tables")
	}
}

// runVictim starts a process that follows the world, in a directory of its own, and kills it
// as soon as it reports the commit last.
func runVictim(t *testing.T, w *world, last int) (dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcess$")
	cmd.Env = append(os.Environ(), victimVar+"=1", "TMPDIR="+w.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	if said.Scan() {
		dir = said.Text()
	}
	step, heard := fmt.Sprint("step ", last), dir
	for heard != step && said.Scan() {
		heard = said.Text()
	}
	if heard != step {
		t.Fatalf("the process did not reach commit %d; output %q, %v", last, heard, said.Err())
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // the test killed it
	return dir
}

// large is a history that reports a large size of its rows.
type large struct{ *view }

func (l large) Rows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (*mirror.Rows, error) {
	r, err := l.view.Rows(ctx, t, after, through)
	if err == nil {
		r.Bytes = 1 << 30
	}
	return r, err
}

// TestCheckpointAfterMuchData copies the file at different times, as a crash would leave it:
// it lacks a few small extensions, but has a large one.
func TestCheckpointAfterMuchData(t *testing.T) {
	w, m := full(t, 61)
	built := w.view()
	left := func() (through ontosql.CommitID, whole bool) {
		t.Helper()
		body, err := os.ReadFile(w.file())
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(w.file())), body, 0o644); err != nil {
			t.Fatal(err)
		}
		engine, err := duckdb.Open(t.Context(), duckdb.Options{ReadDirs: []string{w.dir, dir}, TempDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		next := mirror.Open(t.Context(), mirror.Options{Engine: engine, Dir: dir, Budget: 1 << 30})
		defer next.Close()
		all := next.Status()
		if len(all) != 3 {
			return 0, false // the copy was taken during a write
		}
		return all[0].Through, true
	}
	w.commit()
	w.view().settled(m, customer)
	if through, whole := left(); !whole || through > built.Head() {
		t.Errorf("the file (readable: %t) ends at commit %d, want %d: small extensions are not written", whole, through, built.Head())
	}
	for files := 0; files == 0; { // not every commit has customers
		w.commit()
		typ, _ := w.view().Type(customer)
		files, _ = w.view().Size(typ, w.view().Head()-1, w.view().Head())
	}
	v := w.view()
	m.Follow(large{v})
	for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
		through, _ := left()
		if through >= v.Head() {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("after a large extension the file ends at commit %d, want %d: %+v", through, v.Head(), m.Status())
		}
	}
	v.check(m)
}
