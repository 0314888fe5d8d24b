package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/objstore/s3"
	"github.com/ontosql/ontosql/resolver"
)

// address is a storage URI taken apart.
type address struct {
	text    string // as the user gave it
	backend string // "s3", "file" or "sqlite"
	path    string // of a directory or a SQLite file
	bucket  string // of an S3 address
	prefix  string
}

// parseAddress reads a storage URI (PRODUCT "Databases", COMPAT 4.2).
func parseAddress(uri string) (address, error) {
	a := address{text: uri}
	switch {
	case uri == "":
		return a, usagef("no ontology given: --storage-uri says where it is")
	case strings.HasPrefix(uri, "s3://"):
		bucket, prefix, err := s3.ParseURI(uri)
		if err != nil {
			return a, &usageError{err}
		}
		a.backend, a.bucket, a.prefix = "s3", bucket, prefix
	case strings.HasPrefix(uri, "file://"):
		u, err := url.Parse(uri)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return a, usagef("%q is no file URI: want file:///directory", uri)
		}
		a.backend, a.path = "file", u.Path
	case strings.HasPrefix(uri, "sqlite://"):
		// Three slashes are an absolute path already, as four are (COMPAT 4.2).
		a.backend, a.path = "sqlite", strings.TrimPrefix(uri, "sqlite://")
	case strings.HasPrefix(uri, "sqlite:"):
		return a, usagef("%q is no SQLite URI: want sqlite:////absolute/file.db or a path", uri)
	case strings.Contains(uri, "://"):
		return a, usagef("unknown kind of storage %q: want s3://, file:// or a path", uri)
	default:
		a.backend, a.path = plainPath(uri), uri
	}
	if a.path != "" {
		abs, err := filepath.Abs(a.path)
		if err != nil {
			return a, fmt.Errorf("storage path: %w", err)
		}
		a.path = abs
	}
	return a, nil
}

// plainPath says what a path without a scheme is: what lies there, else by its
// ending.
func plainPath(path string) (backend string) {
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return "file"
		}
		return "sqlite"
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".db", ".sqlite", ".sqlite3":
		return "sqlite"
	}
	return "file"
}

// uri is the address in the form that is shown.
func (a address) uri() string {
	switch a.backend {
	case "s3":
		return "s3://" + strings.TrimSuffix(a.bucket+"/"+a.prefix, "/")
	case "file":
		return "file://" + a.path
	}
	return a.text
}

// errSQLite is the answer to every SQLite address for now.
var errSQLite = errors.New("ontologies in SQLite are not supported yet")

// oneAddress is the ontology of a command other than serve. --db names a SQLite
// file; with --storage-uri both must agree.
func (c *Config) oneAddress() (address, error) {
	if len(c.DB) > 1 {
		return address{}, usagef("--db is given %d times; only serve takes several", len(c.DB))
	}
	uri := c.StorageURI
	if len(c.DB) == 1 {
		if uri != "" && uri != c.DB[0] {
			a, err := parseAddress(uri)
			if err != nil {
				return address{}, err
			}
			b, err := filepath.Abs(c.DB[0])
			if err != nil {
				return address{}, fmt.Errorf("storage path: %w", err)
			}
			if a.backend != "sqlite" || a.path != b {
				return address{}, usagef("--db %s and --storage-uri %s name different ontologies", c.DB[0], uri)
			}
		}
		return address{}, &openError{errSQLite}
	}
	if uri == "" {
		// The original's default is a SQLite file, onto.db.
		return address{}, &openError{fmt.Errorf("onto.db: %w", errSQLite)}
	}
	a, err := parseAddress(uri)
	if err != nil {
		return address{}, err
	}
	if a.backend == "sqlite" {
		return address{}, &openError{errSQLite}
	}
	return a, nil
}

// openBucket opens the object store of an address. create makes a missing
// directory.
func (c *Config) openBucket(ctx context.Context, a address, create bool) (objstore.Bucket, error) {
	var b objstore.Bucket
	var err error
	switch a.backend {
	case "s3":
		if u, bad := url.Parse(c.S3Endpoint); bad != nil || u.User != nil {
			return nil, usagef("--s3-endpoint-url: want a URL without a user; credentials come by the standard AWS chain")
		}
		b, err = s3.Open(ctx, s3.Options{
			Bucket:         a.bucket,
			Prefix:         a.prefix,
			Region:         c.S3Region,
			Endpoint:       c.S3Endpoint,
			RequestTimeout: time.Duration(c.S3RequestSecs * float64(time.Second)),
		})
	case "file":
		if create {
			if err := os.MkdirAll(a.path, 0o755); err != nil {
				return nil, &openError{err}
			}
		}
		b, err = dir.Open(a.path, dir.Options{})
	default:
		err = errSQLite
	}
	if err != nil {
		return nil, &openError{err}
	}
	return metered.New(b, metered.Options{}), nil
}

// store is an opened ontology without an engine: what info and commits need.
type store struct {
	address address
	bucket  objstore.Bucket
	cache   *diskcache.Cache
	log     *chain.Log
	store   *resolver.Store
}

// openStore opens the ontology at a for reading.
func (c *Config) openStore(ctx context.Context, a address, log *slog.Logger) (*store, error) {
	s, err := c.openCaches(ctx, a, log)
	if err != nil {
		return nil, err
	}
	s.store = resolver.Open(resolver.Options{Bucket: s.bucket, Log: s.log, Logger: log})
	return s, nil
}

// openCaches opens what reading and writing the ontology at a share, all but its
// store. Everything rebuildable lies below the cache directory: files shared by
// all ontologies, a log for each.
func (c *Config) openCaches(ctx context.Context, a address, log *slog.Logger) (*store, error) {
	b, err := c.openBucket(ctx, a, false)
	if err != nil {
		return nil, err
	}
	root, err := c.cacheDir()
	if err != nil {
		return nil, err
	}
	budget, err := parseSize(c.CacheSize)
	if err != nil {
		return nil, err
	}
	s := &store{address: a, bucket: b}
	s.cache, err = diskcache.Open(filepath.Join(root, filesDir), diskcache.Options{
		Budget:  filesShare(budget),
		Inspect: inspect,
		Logger:  log,
	})
	if err != nil {
		return nil, &openError{fmt.Errorf("cache directory: %w", err)}
	}
	s.log, err = chain.Open(filepath.Join(root, "chains", c.storeID(a)), chain.Options{Bucket: b, Logger: log})
	if err != nil {
		return nil, &openError{fmt.Errorf("cache directory: %w", err)}
	}
	return s, nil
}

// filesShare is the part of the cache that data files may fill. The rest is for
// native copies of what is in them.
func filesShare(size int64) int64 { return size / 2 }

// filesDir holds the cached files. Its name carries the version of the notes
// beside them: a program that writes others uses another directory.
const filesDir = "files-v1"

// inspect is what the cache remembers of each Parquet file.
func inspect(ctx context.Context, path string) ([]byte, error) {
	facts, err := format.Inspect(ctx, path)
	if err != nil {
		return nil, err
	}
	return facts.Encode()
}

// storeID names the chain log of a store; the endpoint is part of what a bucket
// is.
func (c *Config) storeID(a address) string {
	sum := sha256.Sum256([]byte(c.S3Endpoint + "\n" + a.uri()))
	return hex.EncodeToString(sum[:8])
}

func (s *store) close() {
	s.store.Close()
	_ = s.log.Close()
}
