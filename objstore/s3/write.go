package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ontosql/ontosql/objstore"
)

// Put implements objstore.Bucket.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	return b.put(ctx, objstore.OpPut, key, bytes.NewReader(body), &s3.PutObjectInput{})
}

// largestPut is the maximum size of one PUT ("Amazon S3 object upload limits").
const largestPut = 5 << 30

// Upload implements objstore.Bucket. It sends one request, so it needs the same
// permissions as Put.
func (b *Bucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	if size > largestPut {
		return objstore.Absent, b.fail(ctx, objstore.OpUpload, key,
			fmt.Errorf("%w: %d bytes, S3 takes %d in one request", objstore.ErrTooLarge, size, int64(largestPut)))
	}
	read := objstore.NewBody(body, size)
	// The SDK may report an error of the body as a broken connection.
	v, err := b.put(ctx, objstore.OpUpload, key, read, &s3.PutObjectInput{ContentLength: aws.Int64(size)})
	if err != nil && read.Failed() != nil && ctx.Err() == nil {
		return objstore.Absent, b.fail(ctx, objstore.OpUpload, key, read.Failed())
	}
	return v, err
}

// Swap implements objstore.Bucket.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	in := &s3.PutObjectInput{}
	if want == objstore.Absent {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = aws.String(string(want))
	}
	return b.put(ctx, objstore.OpSwap, key, bytes.NewReader(body), in, noRetry)
}

func (b *Bucket) put(ctx context.Context, op, key string, body io.Reader, in *s3.PutObjectInput, opts ...func(*s3.Options)) (objstore.Version, error) {
	full, err := b.key(key)
	if err != nil {
		return objstore.Absent, b.fail(ctx, op, key, err)
	}
	in.Bucket, in.Key = aws.String(b.bucket), aws.String(full)
	in.Body = body
	out, err := b.client.PutObject(ctx, in, opts...)
	if err != nil {
		return objstore.Absent, b.fail(ctx, op, key, err)
	}
	if version(out.ETag) == objstore.Absent {
		return objstore.Absent, b.fail(ctx, op, key, errNoETag)
	}
	return version(out.ETag), nil
}

// Delete implements objstore.Bucket.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	return b.delete(ctx, objstore.OpDelete, key, &s3.DeleteObjectInput{})
}

// DeleteIf implements objstore.Bucket.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	if want == objstore.Absent {
		// The SDK does not send an empty If-Match, so the object would be deleted
		// unconditionally.
		return b.fail(ctx, objstore.OpDeleteIf, key, objstore.ErrPreconditionFailed)
	}
	return b.delete(ctx, objstore.OpDeleteIf, key, &s3.DeleteObjectInput{IfMatch: aws.String(string(want))}, noRetry)
}

func (b *Bucket) delete(ctx context.Context, op, key string, in *s3.DeleteObjectInput, opts ...func(*s3.Options)) error {
	full, err := b.key(key)
	if err != nil {
		return b.fail(ctx, op, key, err)
	}
	in.Bucket, in.Key = aws.String(b.bucket), aws.String(full)
	if _, err := b.client.DeleteObject(ctx, in, opts...); err != nil {
		return b.fail(ctx, op, key, err)
	}
	return nil
}

// noRetry disables the SDK's retries. If a conditional write was applied but its
// response was lost, a retry would fail because of the first attempt (A29).
func noRetry(o *s3.Options) { o.Retryer = aws.NopRetryer{} }
