package dynamodb

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ontosql/ontosql/nameservice"
)

// maxRounds bounds how often a write is sent again because the record was of version 1, or lacked
// an attribute: each time, another program must have written it so again.
const maxRounds = 5

// Write implements nameservice.Service. The condition decides as the edit does of every record that
// has all attributes of version 2; one that has not is completed first.
func (s *Service) Write(ctx context.Context, a nameservice.Alias, e nameservice.Edit) (nameservice.Result, error) {
	op := "write " + e.Concern.String() + " of " + a.String()
	e, err := e.Prepare()
	if err != nil {
		return nameservice.Result{}, fmt.Errorf("%s: %w", op, err)
	}
	if err := a.Check(); err != nil {
		return nameservice.Result{}, err
	}
	in, err := s.update(ctx, a, e)
	if err != nil {
		return nameservice.Result{}, fmt.Errorf("%s: %w", op, err)
	}
	for range maxRounds {
		result, done, err := s.attempt(ctx, a, e, in)
		switch {
		case err != nil:
			return nameservice.Result{}, s.fail(ctx, op, err)
		case done:
			return result, nil
		}
	}
	return nameservice.Result{}, s.fail(ctx, op, errChanged)
}

// attempt sends an update until its outcome is known. done is false if the record had to be
// completed, so that the update is to be sent again.
func (s *Service) attempt(ctx context.Context, a nameservice.Alias, e nameservice.Edit, in *dynamodb.UpdateItemInput) (_ nameservice.Result, done bool, _ error) {
	answer, err := s.settle(ctx, a, func(ctx context.Context) error {
		_, err := s.client.UpdateItem(ctx, in, s.once)
		return err
	})
	if err == nil && !answer.refused {
		return nameservice.Updated(), true, nil
	}
	if err != nil && !errors.Is(err, errUncertain) {
		return nameservice.Result{}, true, err
	}
	r, readErr := answer.record(a)
	switch {
	case readErr != nil:
		return nameservice.Result{}, true, readErr
	case r != nil && answer.doubt && e.Done(r):
		return nameservice.Updated(), true, nil
	case err != nil:
		return nameservice.Result{}, true, err
	case r == nil:
		return nameservice.Conflict(nil), true, nil
	case answer.doubt && r.Value(e.Concern).V > e.Next.V:
		// Ours may have been done, and others may have gone on from there. With a watermark that is
		// not greater it was not: watermarks only grow.
		return nameservice.Result{}, true, errUncertain
	}
	// The decision of the edit, which knows what missing attributes mean, is the last word.
	if refused := e.Apply(r.Clone()); !refused.Updated {
		return refused, true, nil
	}
	return nameservice.Result{}, false, s.complete(ctx, a, answer.item)
}

// update is the request of an edit.
func (s *Service) update(ctx context.Context, a nameservice.Alias, e nameservice.Edit) (*dynamodb.UpdateItemInput, error) {
	condition, update := expressions(e)
	values, err := valuesOf(e)
	if err != nil {
		return nil, err
	}
	if e.Concern == nameservice.Status && s.hasStateIndex(ctx) {
		update = withState(update, stateOf(e.Next.Payload), values)
	}
	names, bound := bind(values, condition, update)
	return &dynamodb.UpdateItemInput{
		TableName: aws.String(s.table), Key: key(a),
		ConditionExpression: aws.String(condition), UpdateExpression: aws.String(update),
		ExpressionAttributeNames: names, ExpressionAttributeValues: bound,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}, nil
}

// withState extends an update of status by the key of state-index, which cannot be empty.
func withState(update, state string, values map[string]types.AttributeValue) string {
	if state == "" {
		return update + " REMOVE #ss"
	}
	values[":state"] = text(state)
	return update + ", #ss = :state"
}
