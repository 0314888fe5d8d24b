package dynamodb

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ontosql/ontosql/nameservice"
)

const (
	typeKey = "#type = :type"
	// typeFilter lets records of version 1 through, which have no type: all are ontologies.
	typeFilter = "#type = :type OR attribute_not_exists(#schema) OR #schema < :schema"
)

// List implements nameservice.Service. The records of a type come from the index of types, if the
// table has it, all others from a scan. Other than a scan, the index may miss what was written within
// the last moments. Damaged records are left out, and reported to Options.Damaged.
func (s *Service) List(ctx context.Context, kind string) ([]*nameservice.Record, error) {
	items, err := s.items(ctx, kind)
	if err != nil {
		return nil, s.fail(ctx, "list", err)
	}
	var list []*nameservice.Record
	for _, item := range items {
		pk := pkOf(item)
		switch r, err := record(pk, item); {
		case err != nil:
			s.damaged(err)
		case kind == "" || r.Type == kind:
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *nameservice.Record) int { return strings.Compare(a.Alias.String(), b.Alias.String()) })
	return list, nil
}

func pkOf(item map[string]types.AttributeValue) string {
	if pk, ok := item["pk"].(*types.AttributeValueMemberS); ok {
		return pk.Value
	}
	return ""
}

func (s *Service) items(ctx context.Context, kind string) ([]map[string]types.AttributeValue, error) {
	// Records of version 1 are not in the index, so as long as there are some ontologies are scanned.
	if kind != "" && (kind != nameservice.Ledger || s.upgraded.Load()) && s.hasTypeIndex(ctx) {
		items, err := s.query(ctx, kind)
		if err == nil || !invalid(err) {
			return items, err
		}
		s.indexes.forget() // nothing else can be wrong with the query: the index is gone
	}
	return s.scan(ctx, kind)
}

func (s *Service) query(ctx context.Context, kind string) (items []map[string]types.AttributeValue, _ error) {
	names, values := bind(map[string]types.AttributeValue{":type": text(kind)}, typeKey)
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: aws.String(s.table), IndexName: aws.String(typeIndex), KeyConditionExpression: aws.String(typeKey),
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
	}
	return items, nil
}

func (s *Service) scan(ctx context.Context, kind string) (items []map[string]types.AttributeValue, _ error) {
	in := &dynamodb.ScanInput{TableName: aws.String(s.table), ConsistentRead: aws.Bool(true)}
	if kind != "" {
		in.FilterExpression = aws.String(typeFilter)
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = bind(map[string]types.AttributeValue{
			":type": text(kind), ":schema": number(nameservice.SchemaVersion),
		}, typeFilter)
	}
	pages := dynamodb.NewScanPaginator(s.client, in)
	legacy := false
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
	}
	for _, item := range items {
		legacy = legacy || isLegacy(item)
	}
	s.upgraded.Store(!legacy)
	return items, nil
}

// isLegacy reports whether an item is of version 1, or may be: an item of no version is damaged.
func isLegacy(item map[string]types.AttributeValue) bool {
	m, err := members(pkOf(item), item)
	return err != nil || m.Legacy()
}
