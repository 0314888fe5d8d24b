package wire

import (
	"net"
	"time"
)

// keepAlive makes the kernel notice a dead peer within a minute, and keeps load
// balancers from dropping connections on which a long query runs.
func keepAlive(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{
		Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 3,
	})
	limitUnacknowledged(tcp, 60*time.Second)
}
