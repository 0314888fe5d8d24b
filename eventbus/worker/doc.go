// Package worker runs a handler for the events of a namespace: it claims them, keeps their leases
// while the handler runs, and acknowledges them or gives them back. It also sends the events of
// schedules.
//
// The room knows a handler as an interface. eventbus/worker/process and eventbus/worker/webhook are
// handlers; where events are kept is eventbus.Bus's matter.
package worker
