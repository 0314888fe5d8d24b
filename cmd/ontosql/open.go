package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/objstore/s3"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite"
)

// openBucket opens the object store of an address, which must not be a SQLite
// file's. create makes a missing directory.
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
		return nil, usagef("%s is a SQLite file: want an ontology in a bucket or a directory", a.text)
	}
	if err != nil {
		return nil, &openError{err}
	}
	return metered.New(b, metered.Options{}), nil
}

// store is an opened ontology without an engine: what info and commits need.
type store struct {
	address address
	store   storage.Store
	db      *sqlite.DB // nil for a bucket

	bucket objstore.Bucket // nil for a SQLite file, like all that follows
	cache  *diskcache.Cache
	log    *chain.Log
	files  *resolver.Store
}

// openStore opens the ontology at a for reading.
func (c *Config) openStore(ctx context.Context, a address, log *slog.Logger) (*store, error) {
	if a.backend == "sqlite" {
		return openFile(a, log)
	}
	s, err := c.openCaches(ctx, a, log)
	if err != nil {
		return nil, err
	}
	s.resolve(resolver.Options{Logger: log})
	return s, nil
}

// openFile opens an ontology in a SQLite file, which is there.
func openFile(a address, log *slog.Logger) (*store, error) {
	if _, err := os.Stat(a.path); err != nil {
		return nil, &openError{fmt.Errorf("%w: %w", ontosql.ErrNotInitialised, err)}
	}
	db, err := sqlite.Open(sqlite.Options{Path: a.path, Logger: log})
	if err != nil {
		return nil, &openError{err}
	}
	return &store{address: a, store: db, db: db}, nil
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
		Inspect: format.InspectEncoded,
		Logger:  log,
	})
	if err != nil {
		return nil, &openError{fmt.Errorf("cache directory: %w", err)}
	}
	s.log, err = chain.Open(filepath.Join(root, "chains", c.storeID(a)), chain.Options{Bucket: b, Logger: log, Checkpoint: true})
	if err != nil {
		return nil, &openError{fmt.Errorf("cache directory: %w", err)}
	}
	return s, nil
}

// resolve makes the store of what openCaches opened.
func (s *store) resolve(o resolver.Options) {
	o.Bucket, o.Log = s.bucket, s.log
	s.files = resolver.Open(o)
	s.store = s.files
}

// health is that of the indexes, which a SQLite file has not.
func (s *store) health(ctx context.Context, pin *resolver.Pin) ([]resolver.Health, error) {
	if s.files == nil {
		return nil, nil
	}
	return s.files.IndexHealth(ctx, pin)
}

// filesShare is the part of the cache that data files may fill. The rest is for
// native copies of what is in them.
func filesShare(size int64) int64 { return size / 2 }

// filesDir holds the cached files. Its name contains the version of the facts next to them: a
// program with another version uses another directory.
const filesDir = "files-v3"

// storeID names the chain log of a store; the endpoint is part of what a bucket
// is.
func (c *Config) storeID(a address) string {
	sum := sha256.Sum256([]byte(c.S3Endpoint + "\n" + a.uri()))
	return hex.EncodeToString(sum[:8])
}

func (s *store) close() {
	if s.db != nil {
		_ = s.db.Close()
		return
	}
	s.files.Close()
	_ = s.log.Close()
}
