// Package outbox sends the events of commits in a bucket: an event that was enqueued in a transaction
// is sent if and only if the transaction commits.
//
// The events stand in the metadata of the commit (Stage), so that the swap of the head decides about
// them as well. After it they are put under events/ (Outbox), by the committer, or, if that died, by
// whoever looks next: the ids, the times and so the keys are those of the metadata, and an event that is
// there is left alone. A mark says up to which commit that was done, so that an event that a cleanup
// has removed is not sent again.
//
// In a SQLite file events are rows of the same transaction (sqlite/events).
package outbox
