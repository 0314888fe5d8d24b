package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ontosql/ontosql/internal/awserror"
	"github.com/ontosql/ontosql/objstore"
)

// Get implements objstore.Bucket.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	body, out, err := b.read(ctx, objstore.OpGet, key, &s3.GetObjectInput{})
	if err != nil {
		return nil, objstore.Absent, err
	}
	return body, version(out.ETag), nil
}

// GetIfChanged implements objstore.GetIfChanged.
func (b *Bucket) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	in := &s3.GetObjectInput{}
	if known != objstore.Absent {
		in.IfNoneMatch = aws.String(string(known))
	}
	body, out, err := b.read(ctx, objstore.OpGetIfChanged, key, in)
	if awserror.Status(err) == http.StatusNotModified {
		return nil, known, false, nil
	}
	if err != nil {
		return nil, objstore.Absent, false, err
	}
	return body, version(out.ETag), true, nil
}

// GetRange implements objstore.Bucket.
func (b *Bucket) GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	if err := objstore.CheckRange(offset, length); err != nil {
		return nil, &objstore.Error{Op: objstore.OpGetRange, Bucket: b.bucket, Key: b.prefix + key, Err: err}
	}
	body, out, err := b.read(ctx, objstore.OpGetRange, key, &s3.GetObjectInput{
		Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)),
	})
	if awserror.Status(err) == http.StatusRequestedRangeNotSatisfiable {
		return nil, nil // the range begins at or after the end
	}
	if err != nil {
		return nil, err
	}
	if out.ContentRange == nil { // a server may ignore Range (RFC 9110 section 14.2)
		from, to, err := objstore.ClampRange(offset, length, int64(len(body)))
		return body[from:to], err
	}
	return body, nil
}

// Open implements objstore.Bucket.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	out, err := b.get(ctx, objstore.OpOpen, key, &s3.GetObjectInput{})
	if err != nil {
		return nil, objstore.Absent, err
	}
	return &stream{ReadCloser: out.Body, ctx: ctx, b: b, key: key}, version(out.ETag), nil
}

// stream converts read errors of the body to *objstore.Error.
type stream struct {
	io.ReadCloser
	ctx context.Context // of Open
	b   *Bucket
	key string
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = s.b.fail(s.ctx, objstore.OpOpen, s.key, err)
	}
	return n, err
}

// read reads a whole response. The SDK retries a request only until the response
// begins; read retries a response that breaks off later.
func (b *Bucket) read(ctx context.Context, op, key string, in *s3.GetObjectInput) ([]byte, *s3.GetObjectOutput, error) {
	for attempt := 1; ; attempt++ {
		out, err := b.get(ctx, op, key, in)
		if err != nil {
			return nil, nil, err
		}
		body, err := readBody(out)
		if err == nil {
			return body, out, nil
		}
		if attempt == maxAttempts || ctx.Err() != nil {
			return nil, nil, b.fail(ctx, op, key, err)
		}
	}
}

func (b *Bucket) get(ctx context.Context, op, key string, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	full, err := b.key(key)
	if err != nil {
		return nil, b.fail(ctx, op, key, err)
	}
	in.Bucket, in.Key = aws.String(b.bucket), aws.String(full)
	out, err := b.client.GetObject(ctx, in)
	if err != nil {
		s := awserror.Status(err)
		if in.IfNoneMatch != nil && s == http.StatusNotModified || in.Range != nil && s == http.StatusRequestedRangeNotSatisfiable {
			return nil, err // a valid response to a conditional request
		}
		return nil, b.fail(ctx, op, key, err)
	}
	if version(out.ETag) == objstore.Absent {
		out.Body.Close()
		return nil, b.fail(ctx, op, key, errNoETag)
	}
	return out, nil
}

func readBody(out *s3.GetObjectOutput) ([]byte, error) {
	defer out.Body.Close()
	var buf bytes.Buffer
	// Content-Length is only a hint and may be wrong, so limit the allocation.
	buf.Grow(int(min(aws.ToInt64(out.ContentLength), 64<<20)) + bytes.MinRead)
	if _, err := buf.ReadFrom(out.Body); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	return buf.Bytes(), nil
}

// ServerTime implements objstore.Clock. It returns the Date header of a list response,
// which has a resolution of one second.
func (b *Bucket) ServerTime(ctx context.Context) (time.Time, error) {
	out, err := b.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: aws.String(b.bucket), Prefix: aws.String(b.prefix), MaxKeys: aws.Int32(1),
	})
	if err != nil {
		return time.Time{}, b.fail(ctx, objstore.OpServerTime, "", err)
	}
	t, ok := awsmiddleware.GetServerTime(out.ResultMetadata)
	if !ok {
		return time.Time{}, b.fail(ctx, objstore.OpServerTime, "", errors.New("the answer has no Date"))
	}
	return t, nil
}

func version(etag *string) objstore.Version { return objstore.Version(aws.ToString(etag)) }

// key returns the full key of an object: the bucket's prefix and key.
func (b *Bucket) key(key string) (string, error) {
	if err := objstore.CheckKey(key); err != nil {
		return "", err
	}
	return b.prefix + key, objstore.CheckKey(b.prefix + key)
}
