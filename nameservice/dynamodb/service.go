package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ontosql/ontosql/nameservice"
)

// Service is a nameservice.Service in a table.
type Service struct {
	client  *dynamodb.Client
	table   string
	damaged func(error)
	backoff func(attempt int) time.Duration
	once    func(*dynamodb.Options) // a conditional write is not repeated below settle.go

	indexes  indexes
	upgraded atomic.Bool // a scan has met no record of version 1
}

var _ nameservice.Service = (*Service)(nil)

// Open checks the options and reads the AWS configuration of the process. It sends no request: a
// missing table or wrong credentials are detected by the first request.
func Open(ctx context.Context, opts Options) (*Service, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	s := &Service{table: opts.Table, damaged: opts.Damaged, backoff: opts.Backoff}
	if s.damaged == nil {
		s.damaged = func(error) {}
	}
	if s.backoff == nil {
		s.backoff = doubling
	}
	s.once = whenThrottled(s.backoff)
	var err error
	s.client, err = newClient(ctx, opts, s.backoff)
	return s, err
}

func doubling(attempt int) time.Duration {
	return min(50*time.Millisecond<<max(0, attempt-1), 2*time.Second)
}

// String is the URI of the table, without the settings of the connection.
func (s *Service) String() string { return scheme + "://" + s.table }

// Create implements nameservice.Service. After a lost answer, an unborn record that equals the new
// one counts as created by this call, although another caller may have created it in the same second.
func (s *Service) Create(ctx context.Context, n nameservice.New) (*nameservice.Record, error) {
	r, err := n.Record()
	if err != nil {
		return nil, err
	}
	item, err := encodeMembers(r.Members())
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", n.Alias, err)
	}
	if s.hasStateIndex(ctx) {
		setState(item, r.Status.Payload)
	}
	names, _ := bind(nil, createCondition)
	in := &dynamodb.PutItemInput{
		TableName: aws.String(s.table), Item: item,
		ConditionExpression: aws.String(createCondition), ExpressionAttributeNames: names,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	answer, err := s.settle(ctx, n.Alias, func(ctx context.Context) error {
		_, err := s.client.PutItem(ctx, in, s.once)
		return err
	})
	switch {
	case err == nil && !answer.refused:
		return r, nil
	case err != nil && !errors.Is(err, errUncertain):
		return nil, s.fail(ctx, "create "+n.Alias.String(), err)
	}
	return s.created(ctx, r, answer, err)
}

// created decides what became of a record whose creation was refused or has no answer.
func (s *Service) created(ctx context.Context, r *nameservice.Record, answer answer, lost error) (*nameservice.Record, error) {
	op := "create " + r.Alias.String()
	switch found, err := answer.record(r.Alias); {
	case err != nil:
		return nil, s.fail(ctx, op, err)
	case found == nil && lost != nil:
		return nil, s.fail(ctx, op, lost)
	case found == nil || !answer.doubt || found.CreatedAt != r.CreatedAt || found.Type != r.Type:
		return nil, fmt.Errorf("%s: %w", op, nameservice.ErrExists)
	case unborn(found):
		return r, nil
	default: // others have written to it since; it may have been ours
		return nil, s.fail(ctx, op, errUncertain)
	}
}

// unborn reports whether nothing was written to a record since it was created.
func unborn(r *nameservice.Record) bool {
	return r.Head.V == 0 && r.Index.V == 0 && r.Status.V == 1 && r.Config.V == 0 && !r.Retracted
}

// Get implements nameservice.Service.
func (s *Service) Get(ctx context.Context, a nameservice.Alias) (*nameservice.Record, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	item, err := s.get(ctx, a)
	if err != nil {
		return nil, s.fail(ctx, "get "+a.String(), err)
	}
	r, err := record(a.String(), item)
	if err != nil {
		return nil, s.fail(ctx, "get "+a.String(), err)
	}
	if r == nil {
		return nil, fmt.Errorf("%s: %w", a, nameservice.ErrNotFound)
	}
	return r, nil
}

// get reads an item, nil if there is none, with all that was written before.
func (s *Service) get(ctx context.Context, a nameservice.Alias) (map[string]types.AttributeValue, error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(s.table), Key: key(a), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

func key(a nameservice.Alias) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": text(a.String())}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
