package wire

import (
	"net"
	"time"
)

// keepAlive makes the kernel notice within a minute that the peer of an idle connection
// is gone, and keeps load balancers from dropping connections on which a long query
// runs. Bytes that nobody acknowledges are sent again for as long as the system does
// that, a quarter of an hour with Linux: TCP_USER_TIMEOUT would shorten it, but ends
// connections of clients that are there and take their time to read, too.
func keepAlive(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{
			Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 3,
		})
	}
}
