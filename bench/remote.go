package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/s3"
)

// distance is what the proxy adds to every request.
const distance = 10 * time.Millisecond

// remote is an S3 server that is far away through its proxy.
type remote struct {
	server *testenv.S3Server
	proxy  *slowProxy
	memory bool // the server keeps its objects in memory
}

func startRemote(ctx context.Context) (*remote, error) {
	// The gateway and we ourselves take credentials from the environment alone.
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": testenv.S3AccessKey, "AWS_SECRET_ACCESS_KEY": testenv.S3SecretKey, "AWS_SESSION_TOKEN": "",
		"AWS_REGION": testenv.S3Region, "AWS_PROFILE": "", "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true",
	} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	memory := inMemory()
	server, err := startS3(ctx, memory)
	if err != nil {
		return nil, fmt.Errorf("start the S3 server: %w", err)
	}
	at, err := url.Parse(server.Endpoint)
	if err == nil {
		var proxy *slowProxy
		if proxy, err = startProxy(at.Host, distance); err == nil {
			return &remote{server, proxy, memory}, nil
		}
	}
	server.Stop()
	return nil, err
}

// where the server keeps its objects.
func (r *remote) where() string {
	if r.memory {
		return "in memory"
	}
	return "on disk"
}

// shm is a file system in memory on every Linux.
const shm = "/dev/shm"

// inMemory reports whether shm can hold the objects: their ETags are extended
// attributes, which it has from Linux 6.6 on.
func inMemory() bool {
	f, err := os.CreateTemp(shm, "ontosql-bench-")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	defer f.Close()
	return syscall.Setxattr(f.Name(), "user.ontosql", []byte("1"), 0) == nil
}

// startS3 starts the server with its objects in memory if possible: a disk's time for the four
// small files and folders of each commit is more than all the rest and does not depend on
// ontosql. The server takes the temporary directory from the environment when it starts.
func startS3(ctx context.Context, memory bool) (*testenv.S3Server, error) {
	if memory {
		before, had := os.LookupEnv("TMPDIR")
		if err := os.Setenv("TMPDIR", shm); err != nil {
			return nil, err
		}
		defer func() {
			if had {
				_ = os.Setenv("TMPDIR", before)
			} else {
				_ = os.Unsetenv("TMPDIR")
			}
		}()
	}
	return testenv.StartS3(ctx)
}

func (r *remote) close() {
	r.proxy.close()
	r.server.Stop()
}

// far is a bucket behind the proxy, near the same one without it. One that is
// not there is made.
func (r *remote) far(ctx context.Context, bucket string) (objstore.Bucket, error) {
	return r.open(ctx, r.proxy.endpoint(), bucket)
}

func (r *remote) near(ctx context.Context, bucket string) (objstore.Bucket, error) {
	return r.open(ctx, r.server.Endpoint, bucket)
}

func (r *remote) open(ctx context.Context, endpoint, bucket string) (objstore.Bucket, error) {
	if err := os.MkdirAll(filepath.Join(r.server.Buckets, bucket), 0o700); err != nil {
		return nil, err
	}
	return s3.Open(ctx, s3.Options{Bucket: bucket, Endpoint: endpoint})
}

// copy makes a bucket with the objects of another. The extended attributes,
// where the server keeps ETags, come along.
func (r *remote) copy(from, to string) error {
	return clone(filepath.Join(r.server.Buckets, from), filepath.Join(r.server.Buckets, to))
}

// drop removes a bucket.
func (r *remote) drop(bucket string) { os.RemoveAll(filepath.Join(r.server.Buckets, bucket)) }

// head is that of the ontology in a bucket.
func (r *remote) head(ctx context.Context, bucket string) (*format.Head, error) {
	b, err := r.near(ctx, bucket)
	if err != nil {
		return nil, err
	}
	body, _, err := b.Get(ctx, format.HeadKey)
	if err != nil {
		return nil, err
	}
	return format.DecodeHead(format.HeadKey, body)
}
