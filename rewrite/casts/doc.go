// Package casts prints conversions of values as the engine's SQL: from one type to
// another, from and to PostgreSQL's text form, and of literals. It knows types and SQL
// texts and no expressions; which casts a statement may use is decided in package types.
package casts
