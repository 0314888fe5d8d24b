package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/ontosql/ontosql/objstore"
)

// errorCodes translates what S3 says ("Error responses", Amazon S3 API reference).
// A code that is not here is read by its HTTP status.
var errorCodes = map[string]error{
	"NoSuchKey":                  objstore.ErrNotFound,
	"NoSuchBucket":               objstore.ErrNoBucket,
	"InvalidBucketName":          objstore.ErrNoBucket,
	"PreconditionFailed":         objstore.ErrPreconditionFailed,
	"ConditionalRequestConflict": objstore.ErrConflict,
	"RequestTimeTooSkewed":       objstore.ErrClockSkew,
	"AccessDenied":               objstore.ErrDenied,
	"ExpiredToken":               objstore.ErrDenied, // HTTP 400, as the next two
	"InvalidToken":               objstore.ErrDenied,
	"TokenRefreshRequired":       objstore.ErrDenied,
	"XAdminUserNotFound":         objstore.ErrDenied, // HTTP 404, versitygw's word for InvalidAccessKeyId
	"KeyTooLongError":            objstore.ErrInvalidKey,
	"RequestTimeout":             objstore.ErrUnreachable, // HTTP 400: our body came too slowly
	"NotImplemented":             errors.ErrUnsupported,

	// Not of Amazon, which is never full: versitygw, Ceph and MinIO, which say it
	// before the object is in its place.
	"InsufficientStorage":            objstore.ErrFull,
	"QuotaExceeded":                  objstore.ErrFull,
	"XMinioStorageFull":              objstore.ErrFull,
	"XMinioAdminBucketQuotaExceeded": objstore.ErrFull,
}

func (b *Bucket) fail(ctx context.Context, op, key string, err error) error {
	e := &objstore.Error{Op: op, Bucket: b.bucket, Key: b.prefix + key}
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		e.RequestID = response.ServiceRequestID()
	}
	e.Err = classify(ctx, op, err)
	return e
}

// classify finds the word of objstore for an error of the SDK.
func classify(ctx context.Context, op string, err error) error {
	var noCredentials *credentialsError
	var body *objstore.BodyError
	var api smithy.APIError
	var response *awshttp.ResponseError
	switch {
	case ctx.Err() != nil:
		return objstore.ContextError(ctx)
	case errors.As(err, &noCredentials):
		return fmt.Errorf("%w: %w", objstore.ErrDenied, noCredentials)
	case errors.Is(err, objstore.ErrInvalidKey), errors.Is(err, objstore.ErrPreconditionFailed), errors.Is(err, objstore.ErrTooLarge), errors.As(err, &body):
		return err // found here
	case errors.As(err, &response):
		cause := errors.Unwrap(response) // without the SDK's three prefixes
		if errors.As(err, &api) {
			cause = api
			if word := errorCodes[api.ErrorCode()]; word != nil {
				return fmt.Errorf("%w: %w", classifyPrecondition(op, word), cause)
			}
		}
		return byStatus(response.HTTPResponse().Response, cause)
	}
	// No answer at all, or one that could not be read: after a conditional
	// write the two are the same.
	return fmt.Errorf("%w: %w", objstore.ErrUnreachable, withoutEOF(unwrapSDK(err)))
}

// withoutEOF is the error of a connection that broke off. An io.EOF in its chain
// would be taken, somewhere above, for the end of what is read there.
func withoutEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%v: %w", err, io.ErrUnexpectedEOF) //nolint:errorlint // cutting the chain is the point
	}
	return err
}

// classifyPrecondition gives a refusal its meaning for the operation: S3 answers an If-Match
// on a missing object with NoSuchKey.
func classifyPrecondition(op string, word error) error {
	if errors.Is(word, objstore.ErrNotFound) && (op == objstore.OpSwap || op == objstore.OpDeleteIf) {
		return objstore.ErrPreconditionFailed
	}
	return word
}

func byStatus(r *http.Response, cause error) error {
	word := error(nil)
	switch status := r.StatusCode; {
	case status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect:
		if region := r.Header.Get("X-Amz-Bucket-Region"); region != "" {
			return fmt.Errorf("the bucket is in region %s, set --s3-region: %w", region, cause)
		}
		return fmt.Errorf("the bucket is in another region, set --s3-region: %w", cause)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		word = objstore.ErrDenied
	case status == http.StatusNotFound:
		// S3 always says what there is not. To take the 404 of a web server, or
		// of an unknown account, for a missing object would be to take the store
		// for one that was never initialised.
		return fmt.Errorf("%w: a 404 that names neither key nor bucket, is this the endpoint of an S3 server?: %w", objstore.ErrUnreachable, cause)
	case status == http.StatusConflict:
		word = objstore.ErrConflict
	case status == http.StatusPreconditionFailed:
		word = objstore.ErrPreconditionFailed
	case status == http.StatusNotImplemented:
		word = errors.ErrUnsupported
	case status == http.StatusTooManyRequests || status >= 500 || status < 300:
		word = objstore.ErrUnreachable
	default:
		return cause
	}
	return fmt.Errorf("%w: %w", word, withoutEOF(cause))
}

// Answers of something that is not an S3 server. They must not be taken for a
// version or for an empty bucket.
var (
	errNoETag = errors.New("an answer without ETag, is this the endpoint of an S3 server?")
	errNoList = errors.New("an answer that is no list, is this the endpoint of an S3 server?")
)

// unwrapSDK is err without the SDK's wrappings, which repeat what objstore.Error says.
func unwrapSDK(err error) error {
	var op *smithy.OperationError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// status is the HTTP status of the answer in err, 0 if there was none.
func status(err error) int {
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

// credentialChain marks the errors of the credential chain, which the SDK tells apart
// from other errors by text alone.
type credentialChain struct{ aws.CredentialsProvider }

func (c credentialChain) Retrieve(ctx context.Context) (aws.Credentials, error) {
	credentials, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &credentialsError{err}
	}
	return credentials, nil
}

type credentialsError struct{ err error }

func (e *credentialsError) Error() string {
	return fmt.Sprintf("no AWS credentials (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role): %v", e.err)
}

func (e *credentialsError) Unwrap() error { return e.err }
