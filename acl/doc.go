// Package acl says who may do what with an object: the privileges that roles have granted on it, as
// PostgreSQL's aclitem lists them. It knows neither roles nor objects, and reads and writes nothing.
package acl
