package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ontosql/ontosql/nameservice"
)

// Migrate implements nameservice.Service.
func (s *Service) Migrate(ctx context.Context, a nameservice.Alias) (bool, error) {
	if err := a.Check(); err != nil {
		return false, err
	}
	op := "migrate " + a.String()
	for range maxRounds {
		item, err := s.get(ctx, a)
		if err != nil {
			return false, s.fail(ctx, op, err)
		}
		switch r, err := record(a.String(), item); {
		case err != nil:
			return false, s.fail(ctx, op, err)
		case r == nil:
			return false, fmt.Errorf("%s: %w", op, nameservice.ErrNotFound)
		case !r.Legacy:
			return false, nil
		}
		switch err := s.rewrite(ctx, a, item); {
		case err == nil:
			return true, nil
		case !errors.Is(err, errChanged):
			return false, s.fail(ctx, op, err)
		}
	}
	return false, s.fail(ctx, op, errChanged)
}

// errChanged: the item is not as it was read.
var errChanged = errors.New("other programs write this record meanwhile")

// complete gives an item the attributes of version 2 that it lacks: all of them if it is of version
// 1, or some that another program has left out. If the item has changed, nothing is done: the
// caller looks again.
func (s *Service) complete(ctx context.Context, a nameservice.Alias, item map[string]types.AttributeValue) error {
	if err := s.rewrite(ctx, a, item); !errors.Is(err, errChanged) {
		return err
	}
	return nil
}

// rewrite stores the record of an item as version 2, if the item is as it was read. It touches only
// attributes that differ, so that those it does not know survive, whatever their types. An
// answer that is lost needs no settling: the write is sent again, and who looks sees what is true.
func (s *Service) rewrite(ctx context.Context, a nameservice.Alias, item map[string]types.AttributeValue) error {
	in, err := s.rewriting(ctx, a, item)
	if err != nil {
		return err
	}
	_, err = s.client.UpdateItem(ctx, in)
	if failed := (*types.ConditionalCheckFailedException)(nil); errors.As(err, &failed) {
		return errChanged
	}
	return err
}

func (s *Service) rewriting(ctx context.Context, a nameservice.Alias, item map[string]types.AttributeValue) (*dynamodb.UpdateItemInput, error) {
	before, err := members(a.String(), item)
	if err != nil {
		return nil, err
	}
	r, err := record(a.String(), item)
	if err != nil {
		return nil, err
	}
	after := r.Members()
	for _, name := range legacyAttributes {
		if r.Legacy && before[name] == nil {
			before[name] = nil // that nobody has added it meanwhile is a condition too
		}
	}

	names, values := map[string]string{}, map[string]types.AttributeValue{}
	var conditions, set, remove []string
	for i, name := range slices.Sorted(maps.Keys(union(before, after))) {
		old, isThere := item[name]
		next, stays := after[name]
		if name == "pk" || isThere && stays && nameservice.EqualPayloads(before[name], next) {
			continue
		}
		n, was, is := fmt.Sprintf("#a%d", i), fmt.Sprintf(":old%d", i), fmt.Sprintf(":new%d", i)
		names[n] = name
		if isThere {
			conditions = append(conditions, n+" = "+was)
			values[was] = old
		} else {
			conditions = append(conditions, "attribute_not_exists("+n+")")
		}
		if !stays {
			remove = append(remove, n)
			continue
		}
		set = append(set, n+" = "+is)
		if values[is], err = encodePayload(next); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if state := stateOf(r.Status.Payload); r.Legacy && state != "" && s.hasStateIndex(ctx) {
		names["#ss"], values[":state"] = stateAttribute, text(state)
		set = append(set, "#ss = :state")
	}
	if len(set) == 0 {
		return nil, errors.New("DynamoDB refuses what this record allows")
	}
	update := "SET " + strings.Join(set, ", ")
	if len(remove) > 0 {
		update += " REMOVE " + strings.Join(remove, ", ")
	}
	return &dynamodb.UpdateItemInput{
		TableName: aws.String(s.table), Key: key(a),
		ConditionExpression: aws.String(strings.Join(conditions, " AND ")), UpdateExpression: aws.String(update),
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}, nil
}

// legacyAttributes are those of version 1 that version 2 does not have.
var legacyAttributes = []string{
	"ledger_alias", "ledger_name", "commit_address", "commit_t", "index_address", "index_t", "default_context_address", "updated_at",
}

func union(a, b nameservice.Members) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}
