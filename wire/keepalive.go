package wire

import (
	"net"
	"time"
)

// keepAlive sets TCP keepalive, so that the kernel detects a lost peer of an idle connection within a
// minute and load balancers do not drop connections with a long query. The kernel retransmits
// unacknowledged bytes for about 15 minutes on Linux. TCP_USER_TIMEOUT would shorten this, but it also
// ends connections of clients that read slowly.
func keepAlive(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{
			Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 3,
		})
	}
}
