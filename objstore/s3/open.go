// Package s3 stores objects in Amazon S3 or an S3-compatible server. It adapts
// aws-sdk-go-v2, which no other package imports: addressing, retries, time limits and
// the translation of errors to those of objstore.
package s3

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ontosql/ontosql/internal/awserror"
	"github.com/ontosql/ontosql/objstore"
)

const (
	// defaultRegion is used if neither the options nor the environment name one.
	// S3-compatible servers accept it; AWS responds with the correct region.
	defaultRegion = "us-east-1"
	// defaultRequestTimeout is s3_request_timeout_s of seed 000 section 12.
	defaultRequestTimeout = 10 * time.Second
	// maxAttempts bounds a request that may be repeated.
	maxAttempts = 4
	// maxIdleConns keeps the connections of a parallel fetch or upload open for the
	// next one, because a new connection costs more than a request.
	maxIdleConns = 256
)

// Options locate the objects. Credentials come only from the standard AWS chain
// (environment, shared files, web identity, container and instance roles).
type Options struct {
	Bucket string
	Prefix string // keys are below "Prefix/"; empty means the whole bucket

	// Region of the bucket. If empty: the region of the AWS environment, else us-east-1.
	Region string
	// Endpoint is the URL of a server other than AWS. If empty: AWS_ENDPOINT_URL_S3,
	// AWS_ENDPOINT_URL or the shared configuration, else AWS.
	Endpoint string
	// PathStyle selects URLs with the bucket in the path (true) or in the host name
	// (false). If nil, it is true if there is an endpoint, because few S3-compatible
	// servers have the wildcard DNS names for bucket host names.
	PathStyle *bool
	// RequestTimeout is the maximum idle time in one attempt: until the response
	// begins, and between two pieces of either body. A large object on a slow
	// connection does not exceed it. 0 means 10 s.
	RequestTimeout time.Duration
}

// Bucket is an objstore.Bucket on S3.
type Bucket struct {
	client *s3.Client
	bucket string
	prefix string // "" or ends with a slash
}

var (
	_ objstore.Bucket       = (*Bucket)(nil)
	_ objstore.GetIfChanged = (*Bucket)(nil)
	_ objstore.ListAfter    = (*Bucket)(nil)
	_ objstore.Clock        = (*Bucket)(nil)
	_ objstore.Copier       = (*Bucket)(nil)
)

// Open checks the options and reads the AWS configuration of the process. It sends no
// request: a wrong bucket or wrong credentials are detected by the first request.
func Open(ctx context.Context, opts Options) (*Bucket, error) {
	prefix := strings.Trim(opts.Prefix, "/")
	if opts.Bucket == "" {
		return nil, fmt.Errorf("s3: no bucket name")
	}
	if prefix != "" {
		if err := objstore.CheckKey(prefix); err != nil {
			return nil, fmt.Errorf("s3: prefix: %w", err)
		}
		prefix += "/"
	}
	if err := checkEndpoint(opts.Endpoint); err != nil {
		return nil, err
	}
	timeout := opts.RequestTimeout
	if timeout <= 0 {
		timeout = defaultRequestTimeout
	}

	transport := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost = maxIdleConns, maxIdleConns
	})
	// Older S3-compatible servers refuse the checksums that newer SDKs add to
	// uploads. They are not needed: manifests contain a sha256 of each object.
	cfg, err := config.LoadDefaultConfig(ctx,
		config.WithRegion(opts.Region),
		config.WithHTTPClient(transport),
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
	)
	if err != nil {
		return nil, fmt.Errorf("s3: read AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		cfg.Region = defaultRegion
	}
	cfg.Credentials = awserror.MarkCredentials(cfg.Credentials)

	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		if opts.Endpoint != "" {
			o.BaseEndpoint = aws.String(strings.TrimSuffix(opts.Endpoint, "/"))
		}
		o.UsePathStyle = o.BaseEndpoint != nil
		if opts.PathStyle != nil {
			o.UsePathStyle = *opts.PathStyle
		}
		o.HTTPClient = &idleTimeoutClient{inner: o.HTTPClient, limit: timeout}
		o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts = maxAttempts
			r.Backoff = retry.BackoffDelayerFunc(backoff)
			// The SDK's token bucket would replace the error of the store by
			// "retry quota exceeded" after some seconds of outage.
			r.RateLimiter = ratelimit.None
		})
	})
	return &Bucket{client: client, bucket: opts.Bucket, prefix: prefix}, nil
}

func checkEndpoint(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	// Do not repeat the text if it may contain a password.
	switch {
	case err != nil:
		return fmt.Errorf("s3: endpoint is not a URL")
	case u.User != nil:
		return fmt.Errorf("s3: endpoint holds credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("s3: endpoint %q: want http://host:port or https://host", endpoint)
	}
	return nil
}

// backoff returns the wait before a retry: it doubles from 100 ms up to 2 s.
func backoff(attempt int, _ error) (time.Duration, error) {
	return min(100*time.Millisecond<<max(0, attempt-1), 2*time.Second), nil
}

// ParseURI splits "s3://bucket/prefix". The text is taken literally: percent signs are
// not decoded, and there is no query.
func ParseURI(uri string) (bucket, prefix string, err error) {
	rest, ok := strings.CutPrefix(uri, "s3://")
	if !ok {
		return "", "", fmt.Errorf("storage URI %q: want s3://bucket/prefix", uri)
	}
	bucket, prefix, _ = strings.Cut(rest, "/")
	prefix = strings.Trim(prefix, "/")
	switch {
	case strings.Contains(bucket, "@"):
		return "", "", fmt.Errorf("storage URI holds credentials or an \"@\": want s3://bucket/prefix, credentials come from the AWS environment")
	case bucket == "" || strings.ContainsAny(bucket, ":?#% "):
		return "", "", fmt.Errorf("storage URI %q: bad bucket name %q", uri, bucket)
	case strings.ContainsAny(prefix, "?#"):
		return "", "", fmt.Errorf("storage URI %q: a prefix with ? or # is not supported", uri)
	}
	if prefix != "" {
		if err := objstore.CheckKey(prefix); err != nil {
			return "", "", fmt.Errorf("storage URI %q: prefix: %w", uri, err)
		}
	}
	return bucket, prefix, nil
}

func (b *Bucket) String() string {
	return strings.TrimSuffix("s3://"+b.bucket+"/"+b.prefix, "/")
}
