//go:build !linux

package wire

import (
	"net"
	"time"
)

// limitUnacknowledged needs TCP_USER_TIMEOUT, which only Linux has; elsewhere
// the kernel's retransmission limit ends a dead connection.
func limitUnacknowledged(*net.TCPConn, time.Duration) {}
