package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/ontosql/ontosql/internal/awserror"
	"github.com/ontosql/ontosql/objstore"
)

// errorCodes maps the error codes of S3 ("Error responses", Amazon S3 API reference).
// For other codes the HTTP status decides.
var errorCodes = map[string]error{
	"NoSuchKey":                  objstore.ErrNotFound,
	"NoSuchBucket":               objstore.ErrNoBucket,
	"InvalidBucketName":          objstore.ErrNoBucket,
	"PreconditionFailed":         objstore.ErrPreconditionFailed,
	"ConditionalRequestConflict": objstore.ErrConflict,
	"RequestTimeTooSkewed":       objstore.ErrClockSkew,
	"AccessDenied":               objstore.ErrDenied,
	"ExpiredToken":               objstore.ErrDenied, // HTTP 400, like the next two
	"InvalidToken":               objstore.ErrDenied,
	"TokenRefreshRequired":       objstore.ErrDenied,
	"XAdminUserNotFound":         objstore.ErrDenied, // HTTP 404; versitygw's code for InvalidAccessKeyId
	"KeyTooLongError":            objstore.ErrInvalidKey,
	"RequestTimeout":             objstore.ErrUnreachable, // HTTP 400: the server received the body too slowly
	"NotImplemented":             errors.ErrUnsupported,

	// Not codes of Amazon S3 but of versitygw, Ceph and MinIO. The servers send them
	// before the object is visible.
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

// classify wraps an error of the SDK with the matching sentinel of objstore.
func classify(ctx context.Context, op string, err error) error {
	var noCredentials *awserror.CredentialsError
	var body *objstore.BodyError
	var api smithy.APIError
	var response *awshttp.ResponseError
	switch {
	case ctx.Err() != nil:
		return objstore.ContextError(ctx)
	case errors.As(err, &noCredentials):
		return fmt.Errorf("%w: %w", objstore.ErrDenied, noCredentials)
	case errors.Is(err, objstore.ErrInvalidKey), errors.Is(err, objstore.ErrPreconditionFailed), errors.Is(err, objstore.ErrTooLarge), errors.Is(err, objstore.ErrNoCopy), errors.As(err, &body):
		return err // created by this package
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
	// No response, or a response that could not be read. After a conditional write
	// both mean that the outcome is unknown.
	return fmt.Errorf("%w: %w", objstore.ErrUnreachable, withoutEOF(unwrapSDK(err)))
}

// withoutEOF replaces an io.EOF in the chain of a connection error. A caller could
// take io.EOF for the end of the data.
func withoutEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%v: %w", err, io.ErrUnexpectedEOF) //nolint:errorlint // cutting the chain is the point
	}
	return err
}

// classifyPrecondition converts ErrNotFound of a conditional write to
// ErrPreconditionFailed: S3 responds to If-Match on a missing object with NoSuchKey.
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
		// S3 always says what is missing, the key or the bucket. If the 404 of a
		// web server or of an unknown account counted as a missing object, the
		// store would look uninitialised.
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

// Errors for responses that do not come from an S3 server. They must not be taken for a
// version or an empty bucket.
var (
	errNoETag = errors.New("an answer without ETag, is this the endpoint of an S3 server?")
	errNoList = errors.New("an answer that is no list, is this the endpoint of an S3 server?")
)

// unwrapSDK removes the SDK's wrappers, which repeat the fields of objstore.Error.
func unwrapSDK(err error) error {
	var op *smithy.OperationError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
