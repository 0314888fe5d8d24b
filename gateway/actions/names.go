package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
)

// record is the name service, and the alias that the first argument names.
func (c *call) record() (names database.Names, a nameservice.Alias, err error) {
	if names, err = c.session.DB.NameService(); err != nil {
		return nil, a, err
	}
	pk, err := c.required(0)
	if err != nil {
		return nil, a, err
	}
	a, err = nameservice.ParseAlias(pk)
	return names, a, err
}

// nsCreate is ontosql.ns_create(pk, type, deps).
func (c *call) nsCreate(ctx context.Context) error {
	names, a, err := c.record()
	if err != nil {
		return err
	}
	n := nameservice.New{Alias: a, Type: c.optional(1, ""), CreatedAt: time.Now()}
	if c.args[2] != nil {
		if n.Deps, err = c.names(2); err != nil {
			return err
		}
	}
	r, err := names.Create(ctx, n)
	c.session.DB.NamesChanged()
	if err != nil {
		return err
	}
	c.rows.Append(r.Alias.String())
	return nil
}

// nsPush is ontosql.ns_push(pk, concern, expected_v, new_v, payload, expected_payload).
func (c *call) nsPush(ctx context.Context) error {
	names, a, err := c.record()
	if err != nil {
		return err
	}
	concern, err := c.concern(1)
	if err != nil {
		return err
	}
	var expected, next nameservice.Value
	if expected.V, err = c.number(2); err != nil {
		return err
	}
	if next.V, err = c.number(3); err != nil {
		return err
	}
	next.Payload, expected.Payload = json.RawMessage(c.optional(4, "")), json.RawMessage(c.optional(5, ""))
	result, err := names.Write(ctx, a, nameservice.NewPush(concern, expected, next))
	c.session.DB.NamesChanged()
	switch {
	case err != nil:
		return err
	case result.Updated:
		c.rows.Append(true, next.V, introspect.PayloadOrNull(next.Payload))
	case result.Actual == nil:
		c.rows.Append(false, nil, nil)
	default:
		c.rows.Append(false, result.Actual.V, introspect.PayloadOrNull(result.Actual.Payload))
	}
	return nil
}

// concern is an argument that is the name of a concern.
func (c *call) concern(i int) (nameservice.Concern, error) {
	name, err := c.required(i)
	if err != nil {
		return 0, err
	}
	concern, err := nameservice.ParseConcern(name)
	if err != nil {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "invalid concern: %.100q", name).WithHint("It is head, index, status or config.").Because(err)
	}
	return concern, nil
}

// number is an argument that is an int8.
func (c *call) number(i int) (int64, error) {
	text, err := c.required(i)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// nsRetract is ontosql.ns_retract(pk, reason).
func (c *call) nsRetract(ctx context.Context) error {
	names, a, err := c.record()
	if err != nil {
		return err
	}
	r, err := names.Get(ctx, a)
	if err != nil {
		return err
	}
	if !r.Retracted {
		err = nameservice.Retract(ctx, names, a, c.optional(1, ""), time.Now())
		c.session.DB.NamesChanged()
	}
	if err != nil {
		return err
	}
	c.rows.Append(!r.Retracted)
	return nil
}

// lockHolder is the soft lock that the second argument names, and its holder, the third.
func (c *call) lockHolder(names database.Names) (kind nameservice.LockKind, h nameservice.Holder, err error) {
	name, err := c.required(1)
	if err != nil {
		return "", h, err
	}
	if kind, err = nameservice.ParseLockKind(name); err != nil {
		return "", h, pgerr.New(pgerr.InvalidParameterValue, "invalid kind of a lock: %.100q", name).WithHint("It is index, reindex or migration.").Because(err)
	}
	h.Service = names
	h.Name, err = c.required(2)
	return kind, h, err
}

// nsLock is ontosql.ns_lock(pk, kind, holder, target_t, lease).
func (c *call) nsLock(ctx context.Context) error {
	names, a, err := c.record()
	if err != nil {
		return err
	}
	kind, h, err := c.lockHolder(names)
	if err != nil {
		return err
	}
	var target int64
	if c.args[3] != nil {
		if target, err = c.number(3); err != nil {
			return err
		}
	}
	if c.args[4] != nil {
		if h.Lease, err = c.duration(4); err != nil {
			return err
		}
	}
	lock, err := h.Acquire(ctx, a, kind, target)
	c.session.DB.NamesChanged()
	held, others := errors.AsType[*nameservice.LockHeldError](err)
	switch {
	case others:
		lock = held.Lock
	case err != nil:
		return err
	}
	c.rows.Append(!others, lock.Holder, lock.TargetT, time.Unix(lock.ExpiresAt, 0))
	return nil
}

// nsUnlock is ontosql.ns_unlock(pk, kind, holder).
func (c *call) nsUnlock(ctx context.Context) error {
	names, a, err := c.record()
	if err != nil {
		return err
	}
	kind, h, err := c.lockHolder(names)
	if err != nil {
		return err
	}
	err = h.Release(ctx, a, kind)
	c.session.DB.NamesChanged()
	lost := errors.Is(err, nameservice.ErrLockLost)
	if err != nil && !lost {
		return err
	}
	c.rows.Append(!lost)
	return nil
}

// nsChangedSince is ontosql.ns_changed_since(known).
func (c *call) nsChangedSince(ctx context.Context) error {
	names, err := c.session.DB.NameService()
	if err != nil {
		return err
	}
	text, err := c.required(0)
	if err != nil {
		return err
	}
	var known nameservice.Subscriptions
	if err := json.Unmarshal([]byte(text), &known); err != nil {
		return pgerr.New(pgerr.InvalidParameterValue, "argument %q of ontosql.%s must be the watermarks by the records", c.of.Arguments[0], c.of.Name).
			WithDetail("%s.", sqlstate.Sentence(err)).
			WithHint(`For example {"shop:main": {"type": "ledger", "head_v": 42, "config_v": 1}}.`).Because(err)
	}
	changes, err := nameservice.ChangedSince(ctx, names, known, nameservice.Interest{})
	if err != nil {
		return fmt.Errorf("look for changes: %w", err)
	}
	for len(changes) > 0 {
		of := changes[0]
		row := []any{of.Alias.String(), of.Type, nil, nil, nil, nil, of.Gone}
		for len(changes) > 0 && changes[0].Alias == of.Alias {
			if change := changes[0]; !change.Gone {
				row[2+int(change.Concern)] = change.Value.V
			}
			changes = changes[1:]
		}
		c.rows.Append(row...)
	}
	return nil
}
