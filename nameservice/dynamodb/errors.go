package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/ontosql/ontosql/internal/awserror"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
)

// Conditions that callers branch on. Those that object stores have too wrap the sentinel of objstore.
var (
	// ErrNoTable: the table does not exist in this region and account.
	ErrNoTable error = &condition{"no such table in this region and account", objstore.ErrNoBucket}
	// ErrDenied: the credentials are missing, wrong, or do not allow this.
	ErrDenied error = &condition{"permission denied", objstore.ErrDenied}
	// ErrThrottled: the service refused every attempt, because there were too many requests.
	// Nothing was written.
	ErrThrottled error = &condition{"throttled by DynamoDB: too many requests", objstore.ErrUnreachable}
	// ErrTooLarge: the record would be larger than an item can be. Nothing was written.
	ErrTooLarge error = &condition{"DynamoDB keeps no record of more than 400 KB", nameservice.ErrPayload}
	// ErrUnreachable: the service did not answer, or answered that it failed.
	ErrUnreachable error = &condition{"DynamoDB is unreachable", objstore.ErrUnreachable}
)

// condition is a sentinel that is also a more general one of another room.
type condition struct {
	text    string
	general error
}

func (c *condition) Error() string { return c.text }

func (c *condition) Unwrap() error { return c.general }

// deniedCodes are what DynamoDB says of credentials ("Error handling", DynamoDB developer guide).
var deniedCodes = map[string]bool{
	"AccessDeniedException":               true,
	"UnrecognizedClientException":         true,
	"MissingAuthenticationTokenException": true,
	"MissingAuthenticationToken":          true, // the emulator's word
	"IncompleteSignatureException":        true,
	"ExpiredTokenException":               true,
	"InvalidClientTokenId":                true,
	"NotAuthorized":                       true,
}

// fail says what op did with the table, in words that callers branch on.
func (s *Service) fail(ctx context.Context, op string, err error) error {
	return fmt.Errorf("dynamodb: %s in table %s: %w", op, s.table, classify(ctx, err))
}

// classify wraps an error of the SDK with the matching sentinel, and leaves others alone.
func classify(ctx context.Context, err error) error {
	var noCredentials *awserror.CredentialsError
	var noTable *types.ResourceNotFoundException
	var sdk *smithy.OperationError
	var api smithy.APIError
	switch {
	case !errors.As(err, &sdk) || errors.Is(err, errUncertain):
		return err
	case ctx.Err() != nil:
		return objstore.ContextError(ctx)
	case errors.As(err, &noCredentials):
		return fmt.Errorf("%w: %w", ErrDenied, noCredentials)
	case errors.As(err, &noTable):
		return fmt.Errorf("%w: %w", ErrNoTable, noTable)
	case errors.As(err, &api):
		return classifyAnswer(api, awserror.Status(err))
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, sdk.Err)
}

func classifyAnswer(answer smithy.APIError, status int) error {
	switch code := answer.ErrorCode(); {
	case code == "InvalidSignatureException":
		// The message repeats the headers that were signed, with the token of a session among them.
		return fmt.Errorf("%w: %s: the secret key is not that of the access key, or the clock is wrong", ErrDenied, code)
	case deniedCodes[code], status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fmt.Errorf("%w: %w", ErrDenied, answer)
	case throttled(answer):
		return fmt.Errorf("%w: %w", ErrThrottled, answer)
	case tooLarge(answer):
		return fmt.Errorf("%w: %w", ErrTooLarge, answer)
	case status == http.StatusNotFound:
		return fmt.Errorf("%w: is this the endpoint of DynamoDB?: %w", ErrUnreachable, answer)
	case status >= http.StatusInternalServerError, status < http.StatusMultipleChoices:
		return fmt.Errorf("%w: %w", ErrUnreachable, answer)
	}
	return answer
}

func throttled(err error) bool {
	return retry.RetryableErrorCode{Codes: retry.DefaultThrottleErrorCodes}.IsErrorRetryable(err) == aws.TrueTernary
}

// tooLarge decides by text, because DynamoDB has one code, ValidationException, for whatever
// it refuses. The text has a beginning of its own for each kind of request.
func tooLarge(answer smithy.APIError) bool {
	return answer.ErrorCode() == "ValidationException" && strings.Contains(answer.ErrorMessage(), "maximum allowed size") &&
		strings.Contains(answer.ErrorMessage(), "Item size")
}

// invalid is what DynamoDB says of a request that it does not understand.
func invalid(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "ValidationException"
}

// mayBeDone says whether the write that ended with err may have been done or may yet be: there was
// no answer, none that could be read, or one that says no more than that something failed.
func mayBeDone(err error) bool {
	var noCredentials *awserror.CredentialsError
	var api smithy.APIError
	if notSent(err) || errors.As(err, &noCredentials) || errors.As(err, &api) && throttled(api) {
		return false
	}
	code := awserror.Status(err)
	return code < http.StatusBadRequest || code >= http.StatusInternalServerError
}

// notSent says whether there was no connection to send a request over.
func notSent(err error) bool {
	var connection *net.OpError
	return errors.As(err, &connection) && connection.Op == "dial"
}
