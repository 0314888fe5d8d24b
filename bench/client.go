package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// client is the same cheap reader of frames for every server: it counts rows
// and looks at nothing in them.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(ctx context.Context, dsn string) (*client, error) {
	conn, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	h, err := conn.Hijack()
	if err != nil {
		return nil, err
	}
	return &client{conn: h.Conn, in: bufio.NewReaderSize(h.Conn, 1<<20)}, nil
}

// ask times one statement: from the first byte sent to the last received.
func (c *client) ask(m measure) (time.Duration, error) {
	out, err := request(m)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if _, err := c.conn.Write(out); err != nil {
		return 0, err
	}
	rows, err := c.answer()
	took := time.Since(began)
	if err == nil && rows != m.rows {
		err = fmt.Errorf("%d rows, want %d", rows, m.rows)
	}
	return took, err
}

// request is a simple query, or the extended protocol where the measure has
// parameters or wants binary.
func request(m measure) ([]byte, error) {
	if !m.binary && m.args == nil {
		return (&pgproto3.Query{String: m.sql}).Encode(nil)
	}
	format := int16(0)
	if m.binary {
		format = 1
	}
	bind := &pgproto3.Bind{ResultFormatCodes: []int16{format}}
	for _, a := range m.args {
		bind.Parameters = append(bind.Parameters, []byte(a))
	}
	var out []byte
	for _, message := range []pgproto3.FrontendMessage{
		&pgproto3.Parse{Query: m.sql}, bind, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{},
	} {
		var err error
		if out, err = message.Encode(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// answer reads up to ReadyForQuery and counts DataRows.
func (c *client) answer() (rows int, err error) {
	var failed error
	var header [5]byte
	for {
		if _, err := io.ReadFull(c.in, header[:]); err != nil {
			return rows, err
		}
		size := int(binary.BigEndian.Uint32(header[1:])) - 4
		switch header[0] {
		case 'D':
			rows++
		case 'E':
			body := make([]byte, size)
			if _, err := io.ReadFull(c.in, body); err != nil {
				return rows, err
			}
			failed, size = fmt.Errorf("%q", body), 0
		}
		if _, err := c.in.Discard(size); err != nil {
			return rows, err
		}
		if header[0] == 'Z' {
			return rows, failed
		}
	}
}
