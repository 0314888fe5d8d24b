package writepath

import "github.com/ontosql/ontosql/format"

// tags returns the tags after a transaction, from those at the head, which the lock keeps as it
// is.
func (t *lockHolder) tags(p *pending) (format.Tags, error) {
	view, err := t.store.view(t.lease.ctx)
	if err != nil {
		return nil, t.cause(err)
	}
	tags, err := view.Tags()
	if err != nil {
		return nil, err
	}
	return ChangeTags(tags, p.Tags)
}

// ChangeTags returns tags after the changes of a transaction. The error is a *TagConflictError.
func ChangeTags(tags format.Tags, changes map[string]format.TagChange) (format.Tags, error) {
	changed, conflict := tags.With(changes)
	if conflict != "" {
		return nil, &TagConflictError{Name: conflict}
	}
	return changed, nil
}
