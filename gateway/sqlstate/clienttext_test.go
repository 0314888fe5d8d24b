package sqlstate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
)

func TestClientText(t *testing.T) {
	open := &fs.PathError{Op: "open", Path: "/var/cache/onto/files-v1/1.part", Err: syscall.ENOSPC}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"a store in a directory": {
			fmt.Errorf("read head: %w", &objstore.Error{Op: "get", Bucket: "file:///srv/onto", Key: "meta/head.json", Err: objstore.ErrNotFound}),
			"read head: get meta/head.json: object not found",
		},
		"a store in S3": {
			&objstore.Error{Op: "get", Bucket: "bucket", Key: "p/meta/head.json", Err: objstore.ErrNotFound},
			"get bucket/p/meta/head.json: object not found",
		},
		"a path inside the store": {
			&objstore.Error{Op: "get", Bucket: "file:///srv/onto", Key: "a", Err: &fs.PathError{Op: "openat", Path: "meta/head.json", Err: syscall.EACCES}},
			"get a: openat meta/head.json: permission denied",
		},
		"a full cache": {
			fmt.Errorf("%w: commits/1: %w", diskcache.ErrCacheFull, open),
			"no space left for cached objects: commits/1: open 1.part: no space left on device",
		},
		"a sentence": {
			fmt.Errorf("open workspace: %w", &duckdb.Error{Type: duckdb.IO, Message: "can only read versions between 64 and 68."}),
			"open workspace: duckdb: IO: can only read versions between 64 and 68",
		},
		"several causes": {
			errors.Join(open, &os.LinkError{Op: "link", Old: "/var/cache/onto/a", New: "/var/cache/onto/b", Err: syscall.EROFS}),
			"open 1.part: no space left on device\nlink a b: read-only file system",
		},
	} {
		if got := ClientText(test.err); got != test.want {
			t.Errorf("%s: clientText(%q) = %q, want %q", name, test.err, got, test.want)
		}
	}
}

func TestEngineErrorsNameNoFolder(t *testing.T) {
	for message, want := range map[string]string{
		`Cannot open file "/var/cache/onto/files-v1/1.parquet": No such file or directory`: `Cannot open file "1.parquet": No such file or directory`,
		`Failed to create directory "/var/cache/spill/7": No such file or directory`:       `Failed to create directory "7": No such file or directory`,
		`/tmp/x: a/b is no path`: `x: a/b is no path`,
	} {
		got := OfEngine(&duckdb.Error{Type: duckdb.IO, Message: message})
		if got.Code != "58030" || got.Message != want {
			t.Errorf("the client is told %s %q, want 58030 %q", got.Code, got.Message, want)
		}
	}
	if got := OfEngine(&duckdb.Error{Type: duckdb.Conversion, Message: `no value: "/a/b/c"`}); got.Message != `no value: "/a/b/c"` {
		t.Errorf("a value that looks like a path became %q", got.Message)
	}
}

// TestOverflowNamesTheType: PostgreSQL says which type has no room, not how the
// engine keeps it.
func TestOverflowNamesTheType(t *testing.T) {
	for message, want := range map[string]string{
		`Overflow in addition of INT32 (2147483647 + 1)!`:                                                                              "integer out of range",
		`Overflow in multiplication of INT64 (9223372036854775807 * 2)!`:                                                               "bigint out of range",
		`Type INT64 with value 99999 can't be cast because the value is out of range for the destination type INT16`:                   "smallint out of range",
		`Overflow in multiplication of DECIMAL(38) (1 * 2). You might want to add an explicit cast to a decimal with a smaller scale.`: "numeric out of range",
		`Could not convert string "123456.5" to DECIMAL(6,2)`:                                                                          "numeric field overflow",
		`Casting value "12345.5" to type DECIMAL(4,2) failed: value is out of range!`:                                                  "numeric field overflow",
		`Cannot take square of a secret: out of range`:                                                                                 "Cannot take square of a secret: out of range",
	} {
		got := OfEngine(&duckdb.Error{Type: duckdb.OutOfRange, Condition: duckdb.NumericOverflow, Message: message})
		if got.Code != "22003" || got.Message != want {
			t.Errorf("of %q the client is told %s %q, want 22003 %q", message, got.Code, got.Message, want)
		}
	}
}

// TestNumericOverflowTellsThePrecision: of a numeric(p,s) PostgreSQL says what it can hold.
func TestNumericOverflowTellsThePrecision(t *testing.T) {
	for message, want := range map[string]string{
		`Could not convert string "123456.5" to DECIMAL(6,2)`:                         "A field with precision 6, scale 2 must round to an absolute value less than 10^4.",
		`Casting value "12345.5" to type DECIMAL(4,2) failed: value is out of range!`: "A field with precision 4, scale 2 must round to an absolute value less than 10^2.",
		`Could not cast value inf to DECIMAL(20,2)`:                                   "A field with precision 20, scale 2 cannot hold an infinite value.",
	} {
		got := OfEngine(&duckdb.Error{Type: duckdb.OutOfRange, Condition: duckdb.NumericOverflow, Message: message})
		if got.Detail != want {
			t.Errorf("of %q the detail is %q, want %q", message, got.Detail, want)
		}
	}
}
