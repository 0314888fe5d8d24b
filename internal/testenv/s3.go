package testenv

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// The root account of the S3 server.
const (
	S3AccessKey = "ontosql-test"
	S3SecretKey = "ontosql-test-secret"
	S3Region    = "us-east-1"
)

// S3Server is a running versitygw over a folder: a bucket is a folder below
// Buckets, which makes fixtures easy to put in place and to look at.
type S3Server struct {
	*server
	Endpoint string // http://127.0.0.1:PORT, path style
	Buckets  string // folder of the buckets
}

// StartS3 starts an S3 server that the caller stops.
func StartS3(ctx context.Context) (*S3Server, error) {
	dir, err := os.MkdirTemp("", "ontosql-s3-")
	if err != nil {
		return nil, err
	}
	buckets := filepath.Join(dir, "buckets")
	if err := os.Mkdir(buckets, 0o700); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return startGateway(ctx, dir, buckets)
}

// startGateway runs versitygw with its log in dir, which it removes when it
// fails. The file system must have extended attributes: with metadata in files
// beside (--sidecar) an object and its ETag would not change together.
func startGateway(ctx context.Context, dir, buckets string, flags ...string) (*S3Server, error) {
	binary, err := find("versitygw", tools())
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("%w: run make services", err)
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	port, err := freePort()
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	address := "127.0.0.1:" + port
	command := append([]string{binary, "--port", address, "--health", "/health", "--quiet", "--keep-alive"}, flags...)
	command = append(command, "posix", buckets)
	env := []string{"ROOT_ACCESS_KEY=" + S3AccessKey, "ROOT_SECRET_KEY=" + S3SecretKey, "VGW_REGION=" + S3Region}
	endpoint := "http://" + address
	s, err := start(ctx, dir, "KILL", nil, env, command, func() error { return healthy(endpoint + "/health") })
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return &S3Server{server: s, Endpoint: endpoint, Buckets: buckets}, nil
}

func healthy(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("health check: %s", resp.Status)
	}
	return nil
}

// The servers of this process. They are package state because tests have
// nowhere else to keep what outlives one of them.
var (
	sharedS3 = sync.OnceValues(func() (*S3Server, error) { return StartS3(context.Background()) })

	sharedReadOnlyS3 = sync.OnceValues(func() (*S3Server, error) {
		writable, err := sharedS3()
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp("", "ontosql-s3-")
		if err != nil {
			return nil, err
		}
		return startGateway(context.Background(), dir, writable.Buckets, "--readonly")
	})
)

// S3Store is a bucket of a running S3 server.
type S3Store struct {
	Endpoint string // http://127.0.0.1:PORT, path style
	Region   string
	Bucket   string // fresh and empty
	Dir      string // the folder that holds the bucket's objects, a file for each
}

// S3 returns a new bucket on an S3 server, and sets the AWS environment of the
// test to the server's credentials. The server is shared by the tests of one
// process; buckets are not removed before its end.
func S3(t testing.TB) S3Store {
	t.Helper()
	s, err := sharedS3()
	Require(t, "s3", err)
	dir, err := os.MkdirTemp(s.Buckets, "test-")
	if err != nil {
		t.Fatalf("make bucket: %v", err)
	}
	AWS(t, S3AccessKey, S3SecretKey)
	return S3Store{Endpoint: s.Endpoint, Region: S3Region, Bucket: filepath.Base(dir), Dir: dir}
}

// S3ReadOnly is the endpoint of a second server that serves the buckets of S3
// and refuses every write.
func S3ReadOnly(t testing.TB) string {
	t.Helper()
	s, err := sharedReadOnlyS3()
	Require(t, "s3", err)
	return s.Endpoint
}

// AWS sets the AWS environment of the test to these credentials and ignores the developer's own
// environment and files.
func AWS(t testing.TB, accessKey, secretKey string) {
	t.Helper()
	none := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID":           accessKey,
		"AWS_SECRET_ACCESS_KEY":       secretKey,
		"AWS_SESSION_TOKEN":           "",
		"AWS_PROFILE":                 "",
		"AWS_REGION":                  S3Region,
		"AWS_DEFAULT_REGION":          "",
		"AWS_ENDPOINT_URL":            "",
		"AWS_ENDPOINT_URL_S3":         "",
		"AWS_ENDPOINT_URL_DYNAMODB":   "",
		"AWS_CONFIG_FILE":             none,
		"AWS_SHARED_CREDENTIALS_FILE": none,
		"AWS_EC2_METADATA_DISABLED":   "true",
	} {
		t.Setenv(name, value)
	}
}
