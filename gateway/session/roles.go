package session

import (
	"context"
	"errors"
	"slices"
	"syscall"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
)

// Roles are the roles that the session sees: those of the users file, the users that trust has let
// in, and the changes of its own transaction.
func (s *Session) Roles() *roles.Roles {
	if s.Tx.Roles != nil {
		return s.Tx.Roles
	}
	return s.Peers.roles(s.trusting)
}

// RoleEdit is a change of roles. It is made twice: when its statement runs, for what the transaction
// sees, and at the commit, to the roles that there are then.
type RoleEdit func(*roles.Roles) (*roles.Roles, error)

// EditRoles makes a change of roles part of the transaction.
func (s *Session) EditRoles(edit RoleEdit) error {
	if s.Peers.Users == nil {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "roles cannot be changed, because this gateway has no users file").
			WithHint("Start it with --users FILE; \"ontosql user add NAME --superuser --users FILE\" makes one.")
	}
	next, err := edit(s.Roles())
	if err != nil {
		return err
	}
	s.Tx.Roles, s.Tx.RoleEdits = next, append(slices.Clip(s.Tx.RoleEdits), edit) // savepoints have those of before
	return nil
}

// CommitRoles commits the changes of roles that the transaction has made, if it has, after the rest of it: they
// are on the disk before rest runs, and take the place of the old ones if it succeeds.
func (s *Session) CommitRoles(ctx context.Context, rest func() error) error {
	if len(s.Tx.RoleEdits) == 0 {
		return rest()
	}
	var gone []string
	change, err := s.Peers.Users.Prepare(ctx, func(file *roles.Roles) (*roles.Roles, error) {
		before := s.Peers.withTrusted(file, s.trusting)
		after, err := edited(before, s.Tx.RoleEdits)
		if err != nil {
			return nil, err
		}
		for _, role := range before.All() {
			if !after.Exists(role.Name) {
				gone = append(gone, role.Name)
			}
		}
		return withoutTrusted(after, before, file), nil
	})
	if err != nil {
		return ofUsersFile(err)
	}
	if err := rest(); err != nil {
		change.Discard()
		return err
	}
	s.Tx.Roles, s.Tx.RoleEdits = nil, nil
	if err := change.Commit(); err != nil {
		return ofUsersFile(err)
	}
	s.Peers.distrust(gone)
	return nil
}

// ofUsersFile is the error of a change of the users file as the client sees it.
func ofUsersFile(err error) error {
	code, hint := pgerr.IOError, ""
	if told := (*pgerr.Error)(nil); err == nil || errors.As(err, &told) {
		return err
	}
	switch {
	case errors.Is(err, auth.ErrEdited):
		code, hint = pgerr.SerializationFailure, "Retry the transaction."
	case errors.Is(err, auth.ErrBusy):
		code, hint = pgerr.LockNotAvailable, "Retry the transaction."
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		code = pgerr.DiskFull
	}
	return pgerr.New(code, "roles could not be changed").WithDetail("%s.", sqlstate.Sentence(err)).WithHint("%s", hint).Because(err)
}

func edited(r *roles.Roles, edits []RoleEdit) (*roles.Roles, error) {
	var err error
	for _, edit := range edits {
		if r, err = edit(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// withoutTrusted are roles for the file: a user that trust has let in is a line of it only if a
// statement was about that role.
func withoutTrusted(after, before, file *roles.Roles) *roles.Roles {
	for _, role := range before.All() {
		now, there := after.Lookup(role.Name)
		if !there || file.Exists(role.Name) || now != role || len(after.Of(role.Name)) > 0 {
			continue
		}
		named := func(s roles.Scope) bool { return s.Role == role.Name }
		if !slices.ContainsFunc(after.Memberships(), func(m roles.Membership) bool { return m.Role == role.Name }) && !slices.ContainsFunc(after.Scopes(), named) {
			after = after.Without(role.Name)
		}
	}
	return after
}

// merged are the roles of the file and the users that trust has let in.
type merged struct {
	file    *roles.Roles
	trusted int // Peers.trustings
	roles   *roles.Roles
}

// trust makes a role of a user whom nobody has asked for a password and whom the users file does not have. It
// lasts until the gateway ends or the role is dropped.
func (g *Peers) trust(user string) {
	file := g.file()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !file.Exists(user) && !slices.Contains(g.trusted, user) {
		g.trusted = append(g.trusted, user)
		g.trustings++
	}
}

// distrust ends the roles that trust has made of users.
func (g *Peers) distrust(users []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.trusted = slices.DeleteFunc(g.trusted, func(name string) bool { return slices.Contains(users, name) })
	g.trustings++
}

// file are the roles of the users file, or those that there are always.
func (g *Peers) file() *roles.Roles {
	if g.Users == nil {
		return g.initial
	}
	return g.Users.Roles()
}

// roles are the roles at the moment. In the eyes of a session that is trusting, users that trust has let in
// are superusers.
func (g *Peers) roles(trusting bool) *roles.Roles {
	file := g.file()
	g.mu.Lock()
	last, trustings := g.merged[trusting], g.trustings
	g.mu.Unlock()
	if last.roles != nil && last.file == file && last.trusted == trustings {
		return last.roles
	}
	next := g.withTrusted(file, trusting)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.merged[trusting] = merged{file, trustings, next} // a user more than counted is no harm: the next call makes it anew
	return next
}

// withTrusted adds the users that trust has let in to the roles of a file, which win.
func (g *Peers) withTrusted(file *roles.Roles, trusting bool) *roles.Roles {
	g.mu.Lock()
	defer g.mu.Unlock()
	var more []roles.Role
	for _, name := range g.trusted {
		if !file.Exists(name) {
			more = append(more, trustedRole(name, trusting))
		}
	}
	if more == nil {
		return file
	}
	return file.With(more...)
}
