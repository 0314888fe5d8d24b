// Package writepath is the only room that swaps a head or puts an object under
// meta/ (decision A34). It initialises stores, asks a store what the credentials
// can do, and publishes commits one after the other for a writer that is alone.
// Lock, group commit and settling are not built yet: two publishers on one store
// do not corrupt it, but one of them fails with ErrHeadMoved or
// ErrOutcomeUnknown.
package writepath
