package s3

import (
	"bytes"
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ontosql/ontosql/objstore"
)

// Put is objstore.Bucket's.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	return b.put(ctx, objstore.OpPut, key, body, &s3.PutObjectInput{})
}

// Swap is objstore.Bucket's.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	in := &s3.PutObjectInput{}
	if want == objstore.Absent {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = aws.String(string(want))
	}
	return b.put(ctx, objstore.OpSwap, key, body, in, once)
}

func (b *Bucket) put(ctx context.Context, op, key string, body []byte, in *s3.PutObjectInput, opts ...func(*s3.Options)) (objstore.Version, error) {
	full, err := b.key(key)
	if err != nil {
		return objstore.Absent, b.fail(ctx, op, key, err)
	}
	in.Bucket, in.Key = aws.String(b.bucket), aws.String(full)
	in.Body = bytes.NewReader(body)
	out, err := b.client.PutObject(ctx, in, opts...)
	if err != nil {
		return objstore.Absent, b.fail(ctx, op, key, err)
	}
	if version(out.ETag) == objstore.Absent {
		return objstore.Absent, b.fail(ctx, op, key, errNoETag)
	}
	return version(out.ETag), nil
}

// Delete is objstore.Bucket's.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	return b.delete(ctx, objstore.OpDelete, key, &s3.DeleteObjectInput{})
}

// DeleteIf is objstore.Bucket's.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	if want == objstore.Absent {
		// An empty If-Match would not be sent, and the object deleted for good.
		return b.fail(ctx, objstore.OpDeleteIf, key, objstore.ErrPreconditionFailed)
	}
	return b.delete(ctx, objstore.OpDeleteIf, key, &s3.DeleteObjectInput{IfMatch: aws.String(string(want))}, once)
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

// once turns the SDK's retries off: a conditional write that was applied and
// whose answer was lost would be refused because of its own success (A29).
func once(o *s3.Options) { o.Retryer = aws.NopRetryer{} }
