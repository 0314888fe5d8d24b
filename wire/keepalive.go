package wire

import (
	"net"
	"time"
)

// keepAlive makes the kernel notice within a minute that the peer of an idle connection is
// gone, and keeps load balancers from dropping connections with a long query. Unacknowledged
// bytes are sent again as long as the system does that, about 15 minutes on Linux.
// TCP_USER_TIMEOUT would shorten this, but it also ends connections of clients that read
// slowly.
func keepAlive(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{
			Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 3,
		})
	}
}
