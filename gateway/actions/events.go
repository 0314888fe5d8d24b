package actions

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
)

// bus is the event bus of the database.
func (c *call) bus() (eventbus.Bus, error) {
	if c.session.DB.Events == nil {
		return nil, pgerr.Unsupported("the database has no event bus")
	}
	return c.session.DB.Events, nil
}

// claim is ontosql.claim(handler, types, namespace, max, lease, session).
func (c *call) claim(ctx context.Context) error {
	bus, err := c.bus()
	if err != nil {
		return err
	}
	leases := &c.session.Leases
	r := eventbus.Request{Namespace: c.optional(2, eventbus.DefaultNamespace), Session: c.optional(5, leases.Session())}
	if r.Handler, err = c.required(0); err != nil {
		return err
	}
	if r.Types, err = c.names(1); err != nil {
		return err
	}
	if c.args[3] != nil {
		if r.Limit, err = strconv.Atoi(*c.args[3]); err != nil || r.Limit < 1 {
			return pgerr.New(pgerr.InvalidParameterValue, "max must be greater than zero")
		}
	}
	if c.args[4] != nil {
		if r.Lease, err = c.duration(4); err != nil {
			return err
		}
	}
	for _, name := range [][2]string{{"handler", r.Handler}, {"namespace", r.Namespace}, {"session", r.Session}} {
		if err := eventbus.CheckName(name[0], name[1]); err != nil {
			return err
		}
	}
	if err := c.tellAlive(ctx, bus, r.Namespace, r.Session); err != nil {
		return err
	}
	taken, err := bus.Claim(ctx, r)
	if err != nil {
		return err
	}
	for i := range taken {
		d := &taken[i]
		leases.Took(d.Lease)
		c.rows.Append(introspect.EventID(d.ID), d.Namespace, d.Type, string(d.Payload), d.CreatedAt.Time, d.Priority, introspect.EventID(d.RootEventID), d.ChainDepth, d.Attempts, d.Until.Time)
	}
	return nil
}

// tellAlive registers the session on the event bus, or sends its heartbeat when one is due.
func (c *call) tellAlive(ctx context.Context, bus eventbus.Bus, namespace, name string) error {
	register, alive := c.session.Leases.Beats(namespace, name, time.Now())
	switch {
	case register:
		about, err := json.Marshal(map[string]string{"application_name": c.session.Settings.Value("application_name"), "user": c.session.SessionUser()})
		if err != nil {
			return err
		}
		return bus.Register(ctx, eventbus.NewSession{Namespace: namespace, ID: name, Metadata: about})
	case alive:
		return bus.Heartbeat(ctx, namespace, name)
	}
	return nil
}

// lease is the lease that the first two arguments name, and others its namespace and session.
func (c *call) lease(namespace, name int) (l eventbus.Lease, err error) {
	id, err := c.required(0)
	if err != nil {
		return l, err
	}
	handler, err := c.required(1)
	if err != nil {
		return l, err
	}
	l = c.session.Leases.Lease(id, handler, c.optional(namespace, ""), c.optional(name, ""))
	return l, eventbus.CheckName("handler", handler)
}

// ack is ontosql.ack(id, handler, namespace, session).
func (c *call) ack(ctx context.Context) error {
	return c.onLease(2, 3, func(bus eventbus.Bus, l eventbus.Lease) (bool, error) { return bus.Ack(ctx, l) })
}

// release is ontosql.release(id, handler, error, namespace, session).
func (c *call) release(ctx context.Context) error {
	return c.onLease(3, 4, func(bus eventbus.Bus, l eventbus.Lease) (bool, error) {
		r, err := bus.Release(ctx, l, c.optional(2, ""))
		if r.Dead {
			c.session.DB.Sent() // the event that tells of it
		}
		return r.Held, err
	})
}

// extend is ontosql.extend(id, handler, lease, namespace, session).
func (c *call) extend(ctx context.Context) error {
	d, err := c.duration(2)
	if err != nil {
		return err
	}
	return c.onLease(3, 4, func(bus eventbus.Bus, l eventbus.Lease) (bool, error) {
		if err := c.tellAlive(ctx, bus, l.Namespace, l.Session); err != nil {
			return false, err
		}
		return bus.Extend(ctx, l, d)
	})
}

// onLease does something with a lease and returns whether it was held.
func (c *call) onLease(namespace, name int, do func(eventbus.Bus, eventbus.Lease) (bool, error)) error {
	bus, err := c.bus()
	if err != nil {
		return err
	}
	l, err := c.lease(namespace, name)
	if err != nil {
		return err
	}
	done, err := do(bus, l)
	if err != nil {
		return err
	}
	c.rows.Append(done)
	return nil
}

// replay is ontosql.replay(id, namespace).
func (c *call) replay(ctx context.Context) error {
	bus, err := c.bus()
	if err != nil {
		return err
	}
	id, err := c.required(0)
	if err != nil {
		return err
	}
	sent, err := bus.Replay(ctx, c.optional(1, eventbus.DefaultNamespace), id)
	if err != nil {
		return err
	}
	c.session.DB.Sent()
	c.rows.Append(introspect.EventID(sent.ID))
	return nil
}

// cleanupEvents is ontosql.cleanup_events(namespace, before).
func (c *call) cleanupEvents(ctx context.Context) error {
	bus, err := c.bus()
	if err != nil {
		return err
	}
	namespace, err := c.required(0)
	if err != nil {
		return err
	}
	text, err := c.required(1)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(seconds) > math.MaxInt64/2e6 {
		return pgerr.New(pgerr.InvalidParameterValue, "the time before which events are removed must be finite")
	}
	if err := eventbus.CheckName("namespace", namespace); err != nil {
		return err
	}
	removed, err := bus.Cleanup(ctx, namespace, time.UnixMicro(int64(math.Round(seconds*1e6))))
	if err != nil {
		return err
	}
	c.rows.Append(int64(removed))
	return nil
}

// names are the texts of an argument that is a list.
func (c *call) names(i int) ([]string, error) {
	text, err := c.required(i)
	if err != nil {
		return nil, err
	}
	var list []*string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "argument %q of ontosql.%s must be a list of texts", c.of.Arguments[i], c.of.Name).Because(err)
	}
	names := make([]string, len(list))
	for k, name := range list {
		if name == nil {
			return nil, pgerr.New(pgerr.NullValueNotAllowed, "argument %q of ontosql.%s must not contain NULL", c.of.Arguments[i], c.of.Name)
		}
		names[k] = *name
	}
	return names, nil
}

// duration is an argument that is an interval above zero.
func (c *call) duration(i int) (time.Duration, error) {
	text, err := c.required(i)
	if err != nil {
		return 0, err
	}
	const longest = 100 * 365 * 24 * time.Hour
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds <= 0 || seconds > longest.Seconds() {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "a lease must be longer than zero, and shorter than a hundred years")
	}
	return max(time.Duration(seconds*1e6)*time.Microsecond, time.Microsecond), nil
}
