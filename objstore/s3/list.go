package s3

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ontosql/ontosql/objstore"
)

// List implements objstore.Bucket. It requests pages of 1000 objects.
func (b *Bucket) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	return b.ListAfter(ctx, prefix, "", fn)
}

// ListAfter implements objstore.ListAfter.
func (b *Bucket) ListAfter(ctx context.Context, prefix, after string, fn func(objstore.Object) error) error {
	request := &s3.ListObjectsV2Input{
		Bucket: aws.String(b.bucket),
		Prefix: aws.String(b.prefix + prefix),
	}
	if after != "" {
		request.StartAfter = aws.String(b.prefix + after)
	}
	pages := s3.NewListObjectsV2Paginator(b.client, request)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return b.fail(ctx, objstore.OpList, prefix, err)
		}
		if page.Name == nil && len(page.Contents) == 0 {
			return b.fail(ctx, objstore.OpList, prefix, errNoList)
		}
		for _, o := range page.Contents {
			err := fn(objstore.Object{
				Key:      strings.TrimPrefix(aws.ToString(o.Key), b.prefix),
				Size:     aws.ToInt64(o.Size),
				Version:  version(o.ETag),
				Modified: aws.ToTime(o.LastModified),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
