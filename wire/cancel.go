package wire

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"sync"
)

// secretLen is the length of a cancel key in protocol 3.0.
const secretLen = 4

// cancelRegistry maps the process ids of CancelRequests to sessions.
type cancelRegistry struct {
	mu   sync.Mutex
	byID map[uint32]cancelKey
}

type cancelKey struct {
	secret [secretLen]byte
	cancel func()
}

// add returns the process id and the secret of a new session. The id is random, so that it does not
// reveal the number of sessions. It fits into PostgreSQL's int4.
func (r *cancelRegistry) add(cancel func()) (pid uint32, secret []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[uint32]cancelKey{}
	}
	key := cancelKey{cancel: cancel}
	_, _ = rand.Read(key.secret[:])
	for {
		var b [4]byte
		_, _ = rand.Read(b[:])
		pid = binary.BigEndian.Uint32(b[:]) &^ (1 << 31)
		if _, taken := r.byID[pid]; pid != 0 && !taken {
			r.byID[pid] = key
			return pid, key.secret[:]
		}
	}
}

func (r *cancelRegistry) remove(pid uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, pid)
}

// cancel cancels the running statement of session pid if the secret matches.
func (r *cancelRegistry) cancel(pid uint32, secret []byte) {
	r.mu.Lock()
	key, ok := r.byID[pid]
	r.mu.Unlock()
	if ok && subtle.ConstantTimeCompare(key.secret[:], secret) == 1 {
		key.cancel()
	}
}
