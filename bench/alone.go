package main

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"
)

// dialAlone is dial for a client that is the only one at work. It sleeps in the kernel
// until an answer is there, as libpq does. Go's own reader looks around with a
// processor first, for about as long as a look-up takes: on two processors it then
// decides by luck whether the server has to wake one.
func dialAlone(ctx context.Context, dsn string) (*client, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		raw, err := conn.(syscall.Conn).SyscallConn()
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return sleeper{conn, raw}, nil
	}
	return connect(ctx, config)
}

// sleeper is a connection that is read by poll and read. It knows no deadlines.
type sleeper struct {
	net.Conn
	raw syscall.RawConn
}

func (s sleeper) Read(b []byte) (n int, err error) {
	used := s.raw.Control(func(fd uintptr) {
		for {
			_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if err == nil {
				n, err = unix.Read(int(fd), b)
			}
			if err != unix.EINTR && err != unix.EAGAIN {
				return
			}
		}
	})
	switch {
	case used != nil:
		return 0, used
	case err != nil:
		return 0, err
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return n, nil
}
