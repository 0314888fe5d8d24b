package actions

import (
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/pgerr"
)

// Limits of tags. Each commit that changes one has all of them, and every reader keeps it.
const (
	maxTags    = 4096
	maxMessage = 1024 // characters
)

// tag is ontosql.tag(name, point, message).
func (c *call) tag() error {
	text, err := c.required(0)
	if err != nil {
		return err
	}
	name, err := settings.TagName(text)
	if err != nil {
		return err
	}
	tags, err := c.session.Tags(c.pin)
	if err != nil {
		return err
	}
	if t, exists := tags[name]; exists {
		return pgerr.New(pgerr.DuplicateObject, "tag %q already exists", name).
			WithDetail("It names commit %d.", t.Commit).
			WithHint("SELECT ontosql.untag('%s') removes it.", name)
	}
	if len(tags) >= maxTags {
		return pgerr.New(pgerr.ProgramLimitExceeded, "there cannot be more than %d tags", maxTags)
	}
	message := c.optional(2, "")
	if utf8.RuneCountInString(message) > maxMessage {
		return pgerr.New(pgerr.ProgramLimitExceeded, "the message of a tag cannot have more than %d characters", maxMessage)
	}
	id, err := c.existing(c.optional(1, "HEAD"))
	if err != nil {
		return err
	}
	s := c.session
	s.ChangeTag(name, nil, &format.Tag{Commit: id, Message: message, Actor: s.SessionUser(), CreatedAt: format.TimeOf(s.TxStarted())})
	s.Did("tag " + name)
	c.rows.Append(int64(id))
	return nil
}

// untag is ontosql.untag(name).
func (c *call) untag() error {
	name, err := c.required(0)
	if err != nil {
		return err
	}
	tags, err := c.session.Tags(c.pin)
	if err != nil {
		return err
	}
	t, exists := tags[name]
	if !exists {
		return pgerr.New(pgerr.UndefinedObject, "tag %q does not exist", name)
	}
	c.session.ChangeTag(name, &t, nil)
	c.session.Did("untag " + name)
	c.rows.Append(int64(t.Commit))
	return nil
}

// existing is the commit of a point, which exists: it is not after the head, and not before the
// first commit.
func (c *call) existing(text string) (ontosql.CommitID, error) {
	s := c.session
	id, err := s.CommitAt(c.pin, text)
	if err != nil {
		return 0, err
	}
	point, err := settings.ReadPoint(text, s.TimeInput(), s.Zone())
	if err != nil {
		return 0, err
	}
	if n, ok := point.Number(); ok && n != id || id == 0 {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "there is no commit at %q", text).
			WithDetail("The newest commit is %d.", s.Horizon(c.pin))
	}
	return id, nil
}
