// Package roleddl runs CREATE, ALTER and DROP ROLE, and GRANT and REVOKE of roles, by the rules of PostgreSQL 15. A
// statement becomes an edit of roles that is made twice (session.RoleEdit, decision A86): when it runs, for what the
// transaction sees and for its notices, and at the commit, to the users file as it is then.
package roleddl
