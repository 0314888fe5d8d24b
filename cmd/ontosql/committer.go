package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/writepath"
)

// writerFlags are the flags of the commands that may commit.
func (c *Config) writerFlags(f *pflag.FlagSet) {
	f.StringVar(&c.RuntimeID, "runtime-id", "", "the `name` this program has in commits and in the write lock, default ontosql-HOST-8hex")
}

// shortestLease is the shortest lease that can be set. Two thirds of it are
// there for a commit's requests.
const shortestLease = time.Second

// committer makes the writer of an ontology in a bucket, which tells own and the name service of its
// commits. It asks the store for nothing until there is something to commit. The
// caller closes it, after the sessions and before the store.
func (c *Config) committer(s *store, own *storage.RecentCommits, names *published, log *slog.Logger) (*writepath.Committer, error) {
	wait, lease, err := c.writerTimes()
	if err != nil {
		return nil, err
	}
	root, err := c.cacheDir()
	if err != nil {
		return nil, err
	}
	return writepath.Open(writepath.Options{
		Bucket:      own.Uploads(s.bucket, s.cache),
		RuntimeID:   c.RuntimeID,
		Log:         s.log,
		Identities:  storage.Identities(s.cache, s.bucket),
		OnCommit:    names.committed(own.Landed),
		OnIndex:     names.indexed(),
		TempDir:     filepath.Join(root, "large"),
		LockTimeout: wait,
		LeaseTTL:    lease,
		Logger:      log,
	}), nil
}

// fileCommitter is committer for an ontology in a SQLite file.
func (c *Config) fileCommitter(s *store, landed func(writepath.LocalCommit), log *slog.Logger) (*commit.Committer, error) {
	wait, lease, err := c.writerTimes()
	if err != nil {
		return nil, err
	}
	return commit.Open(commit.Options{
		DB: s.db, RuntimeID: c.RuntimeID, OnCommit: landed, LockTimeout: wait, LeaseTTL: lease, Logger: log,
	}), nil
}

// writerTimes are how long a writer waits for the write lock and how long it holds
// it unless it renews it. The name that it has there is checked too.
func (c *Config) writerTimes() (wait, lease time.Duration, err error) {
	if err := checkRuntimeID(c.RuntimeID); err != nil {
		return 0, 0, err
	}
	wait = time.Duration(c.S3LockTimeoutMS) * time.Millisecond
	lease = time.Duration(c.S3LeaseTTLMS) * time.Millisecond
	switch {
	case c.S3LockTimeoutMS < 1 || c.S3LockTimeoutMS > maxMilliseconds:
		return 0, 0, usagef("--s3-lock-timeout-ms %d: want 1 to %d", c.S3LockTimeoutMS, maxMilliseconds)
	case lease < shortestLease || c.S3LeaseTTLMS > maxMilliseconds:
		return 0, 0, usagef("--s3-lease-ttl-ms %d: want %d to %d", c.S3LeaseTTLMS, shortestLease.Milliseconds(), maxMilliseconds)
	}
	return wait, lease, nil
}

// maxMilliseconds is a day: more is a mistake, and far more overflows.
const maxMilliseconds = 24 * 60 * 60 * 1000

// settleLimit is how long a program that ends waits for the commits that are
// under way, the indexes behind them, and the lock.
const settleLimit = 15 * time.Second

// writer is the committer of an ontology, which the program ends.
type writer interface {
	storage.Committer
	Close(ctx context.Context) error
}

// closeCommitter ends a writer. An interrupted repair of an index loses no commit: the next
// writer repairs indexes, and the lock expires.
func closeCommitter(ctx context.Context, committer writer, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	if err := committer.Close(ctx); err != nil {
		log.WarnContext(ctx, "writer did not settle in time", "error", err)
	}
}
