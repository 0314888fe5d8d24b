// Package awserror tells apart the errors of AWS's SDK that all services share. The rooms that call a
// service use it: objstore/s3, nameservice/dynamodb.
package awserror

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// Status returns the HTTP status of the answer in err, or 0 if there is none.
func Status(err error) int {
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

// MarkCredentials makes the errors of a credential chain *CredentialsError. The SDK distinguishes them
// from other errors only by text.
func MarkCredentials(chain aws.CredentialsProvider) aws.CredentialsProvider { return marked{chain} }

type marked struct{ aws.CredentialsProvider }

// Retrieve implements aws.CredentialsProvider.
func (m marked) Retrieve(ctx context.Context) (aws.Credentials, error) {
	credentials, err := m.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &CredentialsError{err}
	}
	return credentials, nil
}

// CredentialsError: no credentials were found. It has no secret in it.
type CredentialsError struct{ err error }

func (e *CredentialsError) Error() string {
	return fmt.Sprintf("no AWS credentials (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role): %v", e.err)
}

// Unwrap returns the error of the chain.
func (e *CredentialsError) Unwrap() error { return e.err }
