package wire

import (
	"net"
	"syscall"
	"testing"
)

// TestVanishedPeer reads the kernel's socket options: when it probes a silent client, and that
// it never disconnects a client that acknowledges probes, even one that reads nothing.
func TestVanishedPeer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{})
	s.accept(t.Context(), accepted)
	raw, err := accepted.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	const tcpUserTimeout = 18 // of tcp(7), which package syscall lacks
	for _, o := range []struct {
		name             string
		level, opt, want int
	}{
		{"SO_KEEPALIVE", syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1},
		{"TCP_KEEPIDLE", syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, 30},
		{"TCP_KEEPINTVL", syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, 10},
		{"TCP_KEEPCNT", syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 3},
		{"TCP_USER_TIMEOUT", syscall.IPPROTO_TCP, tcpUserTimeout, 0},
	} {
		var got int
		var failed error
		if err := raw.Control(func(fd uintptr) { got, failed = syscall.GetsockoptInt(int(fd), o.level, o.opt) }); err != nil {
			t.Fatal(err)
		}
		if failed != nil || got != o.want {
			t.Errorf("%s is %d (%v), want %d", o.name, got, failed, o.want)
		}
	}
}
