package wire

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

const (
	freeFailures   = 2 // failed logins that have no consequence
	firstDelay     = 250 * time.Millisecond
	maxDelay       = 8 * time.Second
	maxFailures    = freeFailures + 6 // the delay is maxDelay
	halfLife       = 30 * time.Second // after which half of the failed logins are forgotten
	maxAddresses   = 4096
	ipv6SubnetBits = 64 // what one client usually has
)

// attempts counts the failed logins of addresses, of IPv6 by /64, to delay the next ones: from
// the third failure on by 0.25 s, doubled by each further one up to 8 s. Two minutes after the
// last one all are forgotten. A successful login changes nothing, because who guesses may have a
// login of his own. The zero value is ready.
type attempts struct {
	mu    sync.Mutex
	of    map[netip.Prefix]*list.Element // of *failures
	order list.List                      // the latest failure last
}

type failures struct {
	from  netip.Prefix
	count int
	last  time.Time
}

// now is the number of failures that are not forgotten.
func (f *failures) now() int {
	return f.count >> min(int(time.Since(f.last)/halfLife), 16)
}

func subnet(address netip.Addr) netip.Prefix {
	bits := address.BitLen()
	if address.Is6() {
		bits = ipv6SubnetBits
	}
	network, _ := address.Prefix(bits) // the zero Prefix for a client without an address
	return network
}

// delay is how long a login from the address must wait.
func (a *attempts) delay(address netip.Addr) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.of[subnet(address)]
	if !ok {
		return 0
	}
	n := e.Value.(*failures).now() - freeFailures
	if n <= 0 {
		return 0
	}
	return min(firstDelay<<(n-1), maxDelay)
}

// failed counts a failed login. If there are too many addresses, the one whose last failure is
// the oldest is forgotten.
func (a *attempts) failed(address netip.Addr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[netip.Prefix]*list.Element{}
	}
	from := subnet(address)
	e, ok := a.of[from]
	if !ok {
		if len(a.of) >= maxAddresses {
			oldest := a.order.Front()
			delete(a.of, a.order.Remove(oldest).(*failures).from)
		}
		e = a.order.PushBack(&failures{from: from})
		a.of[from] = e
	}
	f := e.Value.(*failures)
	f.count, f.last = min(f.now()+1, maxFailures), time.Now()
	a.order.MoveToBack(e)
}
