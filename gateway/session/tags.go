package session

import (
	"context"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/resolver"
)

// Tags are the tags that the transaction sees at a pin, with its own changes. The caller does
// not modify them.
func (s *Session) Tags(pin *resolver.Pin) (format.Tags, error) {
	tags, err := pin.View.Tags()
	if err != nil || len(s.Tx.Tags) == 0 {
		return tags, err
	}
	tags = maps.Clone(tags)
	if tags == nil {
		tags = format.Tags{}
	}
	for name, change := range s.Tx.Tags {
		if delete(tags, name); change.After != nil {
			tags[name] = *change.After
		}
	}
	return tags, nil
}

// ChangeTag makes the transaction change a tag, or remove it where after is nil. before is the
// tag that it has found, nil for none.
func (s *Session) ChangeTag(name string, before, after *format.Tag) {
	changes := maps.Clone(s.Tx.Tags) // a savepoint may go back to them
	if changes == nil {
		changes = map[string]format.TagChange{}
	}
	if own, again := changes[name]; again {
		before = own.Before
	}
	if changes[name] = (format.TagChange{Before: before, After: after}); before == nil && after == nil {
		delete(changes, name)
	}
	s.Tx.Tags = changes
}

// Did notes what an action has done in the transaction. It is the message of the commit unless
// there is another.
func (s *Session) Did(what string) { s.Tx.Actions = append(slices.Clip(s.Tx.Actions), what) }

// commitOf is the commit of a point, never above the horizon.
func (s *Session) commitOf(pin *resolver.Pin, point ontosql.Point) (id ontosql.CommitID, err error) {
	name, tag := point.Tag()
	change, own := s.Tx.Tags[name]
	switch {
	case tag && own && change.After != nil:
		id = change.After.Commit
	case tag && own:
		err = &ontosql.BadPointError{Text: name}
	default:
		id, err = pin.View.Resolve(point)
	}
	return min(id, s.Horizon(pin)), settings.UnknownTag(err)
}

// checkTag is the error of a point that is a tag which does not exist.
func (s *Session) checkTag(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	point, err := settings.ReadPoint(text, s.TimeInput(), s.Zone())
	if err != nil {
		return err
	}
	if _, tag := point.Tag(); !tag {
		return nil
	}
	pin := s.Tx.Pin
	if pin == nil { // the transaction takes none for it
		if pin, err = s.DB.Pin(ctx); err != nil {
			return err
		}
	}
	_, err = s.commitOf(pin, point)
	return err
}

// CheckStart is the error of a tag in the startup parameters that does not exist. A tag in the
// name of the database becomes the commit that it names now.
func (s *Session) CheckStart(ctx context.Context) error {
	if s.Fixed == nil {
		return s.checkTag(ctx, s.Settings.Value(settings.AsOf))
	}
	if _, tag := s.Fixed.Tag(); !tag {
		return nil
	}
	pin, err := s.DB.Pin(ctx)
	if err != nil {
		return err
	}
	id, err := pin.View.Resolve(*s.Fixed)
	fixed := ontosql.AtCommit(id)
	s.Fixed = &fixed
	return settings.UnknownTag(err)
}
