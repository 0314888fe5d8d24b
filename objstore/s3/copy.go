package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/internal/awserror"
	"github.com/ontosql/ontosql/objstore"
)

const (
	// parallelCopies is the number of objects that are copied at a time.
	parallelCopies = 64
	// parallelParts is the number of parts of one object that are copied at a time.
	parallelParts = 8
	// copiedPart is the size of a part: as few requests as possible that are still short.
	copiedPart = 512 << 20
)

// CopyFrom implements objstore.Copier by CopyObject, between buckets of one server. The
// credentials must be allowed to read the other bucket.
func (b *Bucket) CopyFrom(ctx context.Context, from objstore.Bucket, keys []string) error {
	source, ok := from.(*Bucket)
	if !ok || source.endpoint() != b.endpoint() {
		return b.fail(ctx, objstore.OpCopy, "", objstore.ErrNoCopy)
	}
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(parallelCopies)
	for _, key := range keys {
		g.Go(func() error { return b.copyObject(inner, source, key) })
	}
	return g.Wait()
}

// endpoint identifies the server; "" is AWS.
func (b *Bucket) endpoint() string { return aws.ToString(b.client.Options().BaseEndpoint) }

// copyObject copies one object in one request, or in parts if it is too large for that, which the
// size of the object tells: the server only says that the request is invalid.
func (b *Bucket) copyObject(ctx context.Context, source *Bucket, key string) error {
	from, err := source.key(key)
	if err != nil {
		return source.fail(ctx, objstore.OpCopy, key, err)
	}
	to, err := b.key(key)
	if err != nil {
		return b.fail(ctx, objstore.OpCopy, key, err)
	}
	_, err = b.client.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: aws.String(b.bucket), Key: aws.String(to), CopySource: aws.String(copySource(source.bucket, from)),
	})
	if err != nil && awserror.Status(err) == http.StatusBadRequest {
		head, failed := source.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String(source.bucket), Key: aws.String(from)})
		if failed == nil && aws.ToInt64(head.ContentLength) > largestPut {
			err = b.copyParts(ctx, copySource(source.bucket, from), to, head)
		}
	}
	if err != nil {
		return b.fail(ctx, objstore.OpCopy, key, err)
	}
	return nil
}

// copyParts copies a large object. An upload that fails is removed, as far as the server can be
// reached.
func (b *Bucket) copyParts(ctx context.Context, source, to string, head *s3.HeadObjectOutput) (err error) {
	upload, err := b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: aws.String(b.bucket), Key: aws.String(to)})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, failed := b.client.AbortMultipartUpload(context.WithoutCancel(ctx), &s3.AbortMultipartUploadInput{
				Bucket: aws.String(b.bucket), Key: aws.String(to), UploadId: upload.UploadId,
			})
			err = errors.Join(err, failed)
		}
	}()
	size := aws.ToInt64(head.ContentLength)
	parts := make([]types.CompletedPart, (size+copiedPart-1)/copiedPart)
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(parallelParts)
	for i := range parts {
		g.Go(func() error {
			first := int64(i) * copiedPart
			number := aws.Int32(int32(i + 1))
			out, err := b.client.UploadPartCopy(inner, &s3.UploadPartCopyInput{
				Bucket: aws.String(b.bucket), Key: aws.String(to), UploadId: upload.UploadId, PartNumber: number,
				CopySource: aws.String(source), CopySourceIfMatch: head.ETag,
				CopySourceRange: aws.String(fmt.Sprintf("bytes=%d-%d", first, min(first+copiedPart, size)-1)),
			})
			if err != nil {
				return err
			}
			parts[i] = types.CompletedPart{ETag: out.CopyPartResult.ETag, PartNumber: number}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	_, err = b.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: aws.String(b.bucket), Key: aws.String(to), UploadId: upload.UploadId,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	return err
}

// copySource is the value of x-amz-copy-source, which the SDK does not encode. A plus sign is a
// space to some servers.
func copySource(bucket, key string) string {
	segments := strings.Split(key, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), "+", "%2B")
	}
	return bucket + "/" + strings.Join(segments, "/")
}
