package format

import "time"

// Lock is meta/locks/ontology_write.json (seed 000 section 3.2).
type Lock struct {
	AcquiredAt Time   `json:"acquired_at"`
	ExpiresAt  Time   `json:"expires_at"`
	LeaseTTLms int64  `json:"lease_ttl_ms"` // milliseconds
	OwnerID    string `json:"owner_id"`
}

// DecodeLock reads a lock. An unreadable time is the zero Time, so that the lock is expired, as in
// the original (COMPAT 3.3).
func DecodeLock(key string, body []byte) (*Lock, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	l := &Lock{
		AcquiredAt: f.lenientTime("acquired_at"),
		ExpiresAt:  f.lenientTime("expires_at"),
		OwnerID:    f.optionalText("owner_id"),
	}
	if f.has("lease_ttl_ms") {
		l.LeaseTTLms = f.integer("lease_ttl_ms", 0)
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return l, nil
}

// EncodeLock writes a lock.
func EncodeLock(l *Lock) []byte {
	return encodeObject(
		Member{"acquired_at", String(l.AcquiredAt.String())},
		Member{"expires_at", String(l.ExpiresAt.String())},
		Member{"lease_ttl_ms", Int(l.LeaseTTLms)},
		Member{"owner_id", String(l.OwnerID)},
	)
}

// Expired reports whether another writer may take the lock at the time now.
func (l *Lock) Expired(now time.Time) bool { return !now.Before(l.ExpiresAt.Time) }

// Released reports whether the owner released the lock. ontosql releases a lock without deleting
// the object (decision A30).
func (l *Lock) Released() bool { return !l.ExpiresAt.After(l.AcquiredAt.Time) }

// lenientTime is a time, or the zero Time if v is not a time.
func (f objectReader) lenientTime(name string) Time {
	v, _ := f.value.Get(name)
	if v.kind != JSONString {
		return Time{}
	}
	t, err := ParseTime(v.text)
	if err != nil {
		return Time{}
	}
	return t
}
