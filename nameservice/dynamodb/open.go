package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"github.com/ontosql/ontosql/internal/awserror"
)

const (
	scheme = "dynamodb" // of the URI
	// defaultRegion is used if neither the options nor the environment name one.
	defaultRegion = "us-east-1"
	// requestTimeout is the time limit of one attempt: every request is small.
	requestTimeout = 10 * time.Second
	// maxAttempts bounds a request that may be repeated.
	maxAttempts = 6
)

// Options locate a table. Credentials come only from the standard AWS chain (environment,
// shared files, web identity, container and instance roles).
type Options struct {
	Table string
	// Region of the table. If empty: the region of the AWS environment, else us-east-1.
	Region string
	// Endpoint is the URL of a server other than AWS. If empty: AWS_ENDPOINT_URL_DYNAMODB,
	// AWS_ENDPOINT_URL or the shared configuration, else AWS.
	Endpoint string
	// Damaged is called with a *ontosql.CorruptError for each record that a List leaves out. It may be nil.
	Damaged func(error)
	// Transport carries the requests. If nil, the SDK's own.
	Transport http.RoundTripper
	// Backoff is the wait before a request is sent for the nth time. If nil, it doubles from
	// 50 ms up to 2 s.
	Backoff func(attempt int) time.Duration
}

// ParseURI splits "dynamodb://table[?region=..&endpoint=..]".
func ParseURI(uri string) (Options, error) {
	u, err := url.Parse(uri)
	// The text may hold a password, and is not repeated before it is known that it does not.
	if err != nil || u.Scheme != scheme {
		return Options{}, errors.New("nameservice URI: want dynamodb://table[?region=..&endpoint=..]")
	}
	if u.User != nil {
		return Options{}, errors.New("nameservice URI holds credentials: they come from the AWS environment")
	}
	if u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Options{}, errors.New("nameservice URI: want dynamodb://table[?region=..&endpoint=..]")
	}
	opts := Options{Table: u.Host}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Options{}, errors.New("nameservice URI: the part after ? is not a query")
	}
	for name, values := range query {
		switch {
		case len(values) != 1:
			return Options{}, fmt.Errorf("nameservice URI: %q stands there twice", name)
		case name == "region":
			opts.Region = values[0]
		case name == "endpoint":
			opts.Endpoint = values[0]
		default:
			return Options{}, fmt.Errorf("nameservice URI: unknown setting %q, there are region and endpoint", name)
		}
	}
	return opts, opts.check()
}

// tableName is what DynamoDB takes ("Naming rules", DynamoDB developer guide).
var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

func (o Options) check() error {
	if !tableName.MatchString(o.Table) {
		return fmt.Errorf("dynamodb: bad table name %q: want 3 to 255 letters, digits, \"_\", \"-\" and \".\"", o.Table)
	}
	if o.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(o.Endpoint)
	switch {
	case err != nil:
		return errors.New("dynamodb: endpoint is not a URL")
	case u.User != nil:
		return errors.New("dynamodb: endpoint holds credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("dynamodb: endpoint %q: want http://host:port or https://host", o.Endpoint)
	}
	return nil
}

// newClient reads the AWS configuration of the process.
func newClient(ctx context.Context, opts Options, backoff func(attempt int) time.Duration) (*dynamodb.Client, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion(opts.Region),
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTimeout(requestTimeout)),
		config.WithLogger(logging.Nop{})) // the SDK has a warning for each refused condition
	if err != nil {
		return nil, fmt.Errorf("dynamodb: read AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		cfg.Region = defaultRegion
	}
	cfg.Credentials = awserror.MarkCredentials(cfg.Credentials)
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		if opts.Endpoint != "" {
			o.BaseEndpoint = aws.String(strings.TrimSuffix(opts.Endpoint, "/"))
		}
		if opts.Transport != nil { // later than the configuration, which adds AWS_CA_BUNDLE to its own client only
			o.HTTPClient = &http.Client{Transport: opts.Transport, Timeout: requestTimeout}
		}
		o.Retryer = newRetryer(backoff, retry.DefaultRetryables...)
	}), nil
}

// newRetryer repeats what one of the given rules names, a bounded number of times.
func newRetryer(backoff func(attempt int) time.Duration, rules ...retry.IsErrorRetryable) aws.Retryer {
	return retry.NewStandard(func(r *retry.StandardOptions) {
		r.MaxAttempts = maxAttempts
		r.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) { return backoff(attempt), nil })
		// The SDK's token bucket would replace the error of the service by "retry quota
		// exceeded" after some seconds of throttling.
		r.RateLimiter = ratelimit.None
		r.Retryables = rules
	})
}

// whenThrottled repeats a request only if the service says that it did not look at it. Other
// failures of a conditional write are settled by settle.go.
func whenThrottled(backoff func(attempt int) time.Duration) func(*dynamodb.Options) {
	retryer := newRetryer(backoff, retry.NoRetryCanceledError{}, retry.RetryableErrorCode{Codes: retry.DefaultThrottleErrorCodes})
	return func(o *dynamodb.Options) { o.Retryer = retryer }
}
