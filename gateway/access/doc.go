// Package access decides whether a role may do what a statement asks for. It is the one place where
// privileges are compared with what is needed (decision A89): the planner tells the demands of a
// statement, and rooms that define objects ask for owners. It reads no data.
package access
