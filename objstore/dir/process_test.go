package dir_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
)

// childVar makes the test binary play another process: its value is the part,
// the arguments follow on the command line.
const childVar = "ONTOSQL_DIR_TEST_CHILD"

func TestMain(m *testing.M) {
	var err error
	switch part := os.Getenv(childVar); part {
	case "":
		os.Exit(m.Run())
	case "count":
		err = count(os.Args[1], os.Args[2])
	case "replace":
		err = replace(os.Args[1])
	case "stranger":
		err = stranger(os.Args[1])
	default:
		err = fmt.Errorf("no part %q", part)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(part string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childVar+"="+part)
	cmd.Stderr = os.Stderr
	return cmd
}

// count raises the number in "counter" by compare-and-swap, times times, and
// tries to be the one who creates each "claim/i". It prints its claims.
func count(path, times string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		return err
	}
	// Wait for the others: the parent closes the input of all.
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	ctx, claims := testContext, 0
	for i := range n {
		switch _, err := b.Swap(ctx, fmt.Sprintf("claim/%d", i), objstore.Absent, []byte("mine")); {
		case err == nil:
			claims++
		case !errors.Is(err, objstore.ErrPreconditionFailed):
			return err
		}
		for {
			body, v, err := b.Get(ctx, "counter")
			if err != nil {
				return err
			}
			old, err := strconv.Atoi(string(body))
			if err != nil {
				return fmt.Errorf("torn read %q: %w", body, err)
			}
			_, err = b.Swap(ctx, "counter", v, []byte(strconv.Itoa(old+1)))
			if err == nil {
				break
			}
			if !errors.Is(err, objstore.ErrPreconditionFailed) {
				return err
			}
		}
	}
	fmt.Println(claims)
	return nil
}

// TestSwapBetweenProcesses lets processes that share nothing but the directory
// raise one number and create the same objects.
func TestSwapBetweenProcesses(t *testing.T) {
	const processes, times = 3, 25
	path := t.TempDir()
	b := open(t, path)
	if _, err := b.Put(t.Context(), "counter", []byte("0")); err != nil {
		t.Fatalf("Put: %v", err)
	}
	var out [processes]strings.Builder
	var cmds [processes]*exec.Cmd
	var starts [processes]io.WriteCloser
	for i := range cmds {
		cmds[i] = child("count", path, strconv.Itoa(times))
		cmds[i].Stdout = &out[i]
		start, err := cmds[i].StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmds[i].Start(); err != nil {
			t.Fatalf("start process %d: %v", i, err)
		}
		starts[i] = start
	}
	for _, start := range starts {
		start.Close()
	}
	claims := 0
	for i := range cmds {
		if err := cmds[i].Wait(); err != nil {
			t.Fatalf("process %d: %v", i, err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(out[i].String()))
		if err != nil {
			t.Fatalf("process %d printed %q", i, out[i].String())
		}
		claims += n
	}
	body, _, err := b.Get(t.Context(), "counter")
	if err != nil || string(body) != strconv.Itoa(processes*times) {
		t.Errorf("counter raised %d times by each of %d processes: got %q, %v", times, processes, body, err)
	}
	if claims != times {
		t.Errorf("%d objects created from Absent by %d processes: %d won, want one winner each", times, processes, claims)
	}
}

// replace writes one object over and over, until it is killed.
func replace(path string) error {
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if _, err := b.Put(testContext, "k", bytes.Repeat([]byte{byte('a' + i%26)}, 1<<20)); err != nil {
			return err
		}
		if i == 0 {
			fmt.Println("begun")
		}
	}
}

// TestKilledWriter kills a process while it writes: the object is whole, and
// the lock it held is free.
func TestKilledWriter(t *testing.T) {
	path := t.TempDir()
	b := open(t, path)
	for round := range 4 {
		cmd := child("replace", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatalf("start a writer: %v", err)
		}
		if _, err := io.ReadFull(out, make([]byte, len("begun\n"))); err != nil {
			t.Fatalf("wait for the writer: %v", err)
		}
		time.Sleep(time.Duration(round) * 3 * time.Millisecond) // somewhere in a write
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		body, v, err := b.Get(t.Context(), "k")
		if err != nil || len(body) != 1<<20 || !bytes.Equal(body, bytes.Repeat(body[:1], len(body))) {
			t.Fatalf("object after its writer was killed: %d bytes, %v; want one whole content", len(body), err)
		}
		if _, err := b.Swap(t.Context(), "k", v, body); err != nil {
			t.Fatalf("Swap after a writer was killed: %v", err)
		}
		if got := keys(t, b, ""); !cmp.Equal(got, []string{"k"}) {
			t.Errorf("List after a writer was killed: got %q, want the object alone", got)
		}
	}
}

// stranger is a user who may read the directory and not write it. It prints
// what became of each request.
func stranger(path string) error {
	if os.Getuid() == 0 {
		const nobody = 65534
		if err := syscall.Setgroups(nil); err != nil {
			return err
		}
		if err := syscall.Setgid(nobody); err != nil {
			return err
		}
		if err := syscall.Setuid(nobody); err != nil {
			return err
		}
	}
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		return err
	}
	ctx := testContext
	say := func(op string, err error) {
		for _, word := range []error{nil, objstore.ErrDenied, objstore.ErrNotFound, objstore.ErrPreconditionFailed} {
			if errors.Is(err, word) {
				fmt.Printf("%s: %v\n", op, word)
				return
			}
		}
		fmt.Printf("%s: unexpected %v\n", op, err)
	}
	body, v, err := b.Get(ctx, "meta/head.json")
	say("get "+string(body), err)
	say("list", b.List(ctx, "meta/", func(objstore.Object) error { return nil }))
	_, err = b.Put(ctx, "meta/new", nil)
	say("put", err)
	_, err = b.Swap(ctx, "meta/head.json", v, nil)
	say("swap", err)
	_, err = b.Swap(ctx, "meta/new", objstore.Absent, nil)
	say("create", err)
	say("delete", b.Delete(ctx, "meta/head.json"))
	say("delete missing", b.Delete(ctx, "meta/none"))
	_, _, err = b.Get(ctx, "secret/key")
	say("get secret", err)
	say("list secret", b.List(ctx, "", func(objstore.Object) error { return nil }))
	return nil
}

func TestReadOnlyDirectory(t *testing.T) {
	path := publicDir(t)
	write(t, path, "meta/head.json", "head")
	write(t, path, "secret/key", "x")
	chmod(t, path+"/secret", 0)
	chmod(t, path+"/meta", 0o555)
	chmod(t, path, 0o555)
	before := tree(t, path)
	cmd := child("stranger", path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("process of another user: %v", err)
	}
	want := `get head: <nil>
list: <nil>
put: permission denied
swap: permission denied
create: permission denied
delete: permission denied
delete missing: <nil>
get secret: permission denied
list secret: permission denied
`
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("requests of a user who may not write (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(before, tree(t, path)); diff != "" {
		t.Errorf("files of a read-only directory (-before +after)\n%s", diff)
	}
}
