package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"strconv"
	"sync"
	"time"
)

// slowProxy stands between the clients of an S3 server and the server, which it
// makes as far away as a real one: each request waits for delay before it is
// passed on. Any number of requests wait at the same time. Answers pass at once
// and unread, so that the proxy takes little of the machine that is measured.
type slowProxy struct {
	server   string // host:port
	delay    time.Duration
	listener net.Listener
	running  sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	open     map[net.Conn]bool
	requests requestCounts
}

// requestCounts are numbers of requests by HTTP method.
type requestCounts map[string]int

func startProxy(server string, delay time.Duration) (*slowProxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &slowProxy{server: server, delay: delay, listener: l, open: map[net.Conn]bool{}, requests: requestCounts{}}
	p.running.Go(p.accept)
	return p, nil
}

func (p *slowProxy) endpoint() string { return "http://" + p.listener.Addr().String() }

// close ends every connection and waits for their goroutines.
func (p *slowProxy) close() {
	p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for c := range p.open {
		c.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// counts is what passed so far.
func (p *slowProxy) counts() requestCounts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.requests)
}

// since is how many more requests c has than an earlier count.
func (c requestCounts) since(before requestCounts) requestCounts {
	more := requestCounts{}
	for method, n := range c {
		if n > before[method] {
			more[method] = n - before[method]
		}
	}
	return more
}

func (c requestCounts) total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

func (p *slowProxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.serve(c) })
	}
}

// keep remembers a connection for close; false when it is too late.
func (p *slowProxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.open[c] = true
	}
	return !p.closed
}

func (p *slowProxy) drop(c net.Conn) {
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
	c.Close()
}

// serve forwards one connection to the server. If one side closes, the other side is closed
// too.
func (p *slowProxy) serve(client net.Conn) {
	defer p.drop(client)
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer p.drop(server)
	if !p.keep(client) || !p.keep(server) {
		return
	}
	p.running.Go(func() {
		_, _ = io.Copy(client, server)
		client.Close()
	})
	in, out := bufio.NewReader(client), bufio.NewWriter(server)
	for p.pass(in, out) == nil {
	}
}

// pass passes one request on. What is here of its body goes with its header in
// one write; the rest follows as it comes.
func (p *slowProxy) pass(in *bufio.Reader, out *bufio.Writer) error {
	header, method, body, err := readHeader(in)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.requests[method]++
	p.mu.Unlock()
	time.Sleep(p.delay)
	if _, err := out.Write(header); err != nil {
		return err
	}
	here := min(body, int64(in.Buffered()))
	if _, err := io.CopyN(out, in, here); err != nil {
		return err
	}
	if err := out.Flush(); err != nil { // a client may wait for the answer to its header (100-continue)
		return err
	}
	if _, err := io.CopyN(out, in, body-here); err != nil {
		return err
	}
	return out.Flush()
}

// readHeader reads a request up to its body and finds the body's length. A
// chunked body, which the S3 SDK does not send, is an error.
func readHeader(in *bufio.Reader) (header []byte, method string, body int64, err error) {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, "", 0, err
		}
		header = append(header, line...)
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		switch {
		case method == "":
			first, _, _ := bytes.Cut(line, []byte(" "))
			method = string(first)
		case len(name) == 0:
			return header, method, body, nil
		case bytes.EqualFold(name, []byte("Content-Length")):
			if body, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64); err != nil {
				return nil, "", 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			return nil, "", 0, fmt.Errorf("%s request with a transfer encoding", method)
		}
	}
}
