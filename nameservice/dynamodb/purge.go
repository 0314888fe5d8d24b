package dynamodb

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ontosql/ontosql/nameservice"
)

// Purge implements nameservice.Service.
func (s *Service) Purge(ctx context.Context, seen *nameservice.Record) (nameservice.Result, error) {
	a := seen.Alias
	if err := a.Check(); err != nil {
		return nameservice.Result{}, err
	}
	op := "purge " + a.String()
	in := s.purge(seen)
	for range maxRounds {
		answer, err := s.settle(ctx, a, func(ctx context.Context) error {
			_, err := s.client.DeleteItem(ctx, in, s.once)
			return err
		})
		if err == nil && !answer.refused {
			return nameservice.Updated(), nil
		}
		if err != nil && !errors.Is(err, errUncertain) {
			return nameservice.Result{}, s.fail(ctx, op, err)
		}
		r, readErr := answer.record(a)
		switch {
		case readErr != nil:
			return nameservice.Result{}, s.fail(ctx, op, readErr)
		case r == nil && answer.read && answer.doubt:
			return nameservice.Updated(), nil // it is gone, as was asked for
		case err != nil:
			return nameservice.Result{}, s.fail(ctx, op, err)
		case r == nil:
			return nameservice.Conflict(nil), nil
		case !nameservice.MayPurge(r, seen):
			return nameservice.Conflict(&r.Status), nil
		}
		if err := s.complete(ctx, a, answer.item); err != nil {
			return nameservice.Result{}, s.fail(ctx, op, err)
		}
	}
	return nameservice.Result{}, s.fail(ctx, op, errChanged)
}

// purge is the request that removes a record that is retracted and as it was seen.
func (s *Service) purge(seen *nameservice.Record) *dynamodb.DeleteItemInput {
	conditions := []string{"#schema = :schema", "#r = :true", "#created = :created"}
	values := map[string]types.AttributeValue{
		":schema": number(nameservice.SchemaVersion), ":true": &types.AttributeValueMemberBOOL{Value: true}, ":created": number(seen.CreatedAt),
	}
	for _, c := range nameservice.Concerns {
		conditions = append(conditions, pushes[c].seen)
		values[":seen_"+c.Watermark()] = number(seen.Value(c).V)
	}
	condition := strings.Join(conditions, " AND ")
	names, bound := bind(values, condition)
	return &dynamodb.DeleteItemInput{
		TableName: aws.String(s.table), Key: key(seen.Alias),
		ConditionExpression: aws.String(condition), ExpressionAttributeNames: names, ExpressionAttributeValues: bound,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}
