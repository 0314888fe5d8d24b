package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// client is the same cheap reader of frames for every server: it counts rows
// and looks at nothing in them. It is for one goroutine.
type client struct {
	conn     net.Conn
	in       *bufio.Reader
	out      []byte
	prepared int
}

func dial(ctx context.Context, dsn string) (*client, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	return connect(ctx, config)
}

func connect(ctx context.Context, config *pgconn.Config) (*client, error) {
	// After a slow write, pgconn reads in the background and may still do so after it has
	// connected. A client that does not read through its reader would lose the first answer.
	var in io.Reader
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		in = r
		return pgproto3.NewFrontend(r, w)
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	h, err := conn.Hijack()
	if err != nil {
		return nil, err
	}
	return &client{conn: h.Conn, in: bufio.NewReaderSize(in, 1<<18)}, nil
}

func (c *client) close() { c.conn.Close() }

// statement is one that the server has parsed, asked for results in one format.
type statement struct {
	client  *client
	bind    pgproto3.Bind
	execute pgproto3.Execute
}

// The formats of a result.
const (
	formatText   = int16(pgproto3.TextFormat)
	formatBinary = int16(pgproto3.BinaryFormat)
)

// prepare has the server parse a statement, once.
func (c *client) prepare(sql string, format int16) (*statement, error) {
	c.prepared++
	name := fmt.Sprint("s", c.prepared)
	if _, err := c.exchange(nil, &pgproto3.Parse{Name: name, Query: sql}, &pgproto3.Sync{}); err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return &statement{client: c, bind: pgproto3.Bind{PreparedStatement: name, ResultFormatCodes: []int16{format}}}, nil
}

// expect executes the statement and wants so many rows. Nothing is described: a
// driver that prepares has asked for that once.
func (s *statement) expect(rows int, args ...string) error {
	s.bind.Parameters = s.bind.Parameters[:0]
	for _, a := range args {
		s.bind.Parameters = append(s.bind.Parameters, []byte(a))
	}
	got, err := s.client.exchange(nil, &s.bind, &s.execute, &pgproto3.Sync{})
	if err == nil && got != rows {
		err = fmt.Errorf("%d rows, want %d", got, rows)
	}
	return err
}

// query runs SQL by the simple protocol and returns the values of all rows.
func (c *client) query(sql string) (rows [][]string, err error) {
	_, err = c.exchange(func(body []byte) { rows = append(rows, values(body)) }, &pgproto3.Query{String: sql})
	if err != nil {
		err = fmt.Errorf("%s: %w", sql, err)
	}
	return rows, err
}

// values are those of a DataRow in text; NULL is "".
func values(body []byte) []string {
	row := make([]string, binary.BigEndian.Uint16(body))
	body = body[2:]
	for i := range row {
		size := int32(binary.BigEndian.Uint32(body))
		if body = body[4:]; size >= 0 {
			row[i], body = string(body[:size]), body[size:]
		}
	}
	return row
}

// exchange sends messages and reads what comes up to ReadyForQuery. It counts
// the DataRows and shows their bodies to visit, if there is one.
func (c *client) exchange(visit func(body []byte), messages ...pgproto3.FrontendMessage) (rows int, err error) {
	c.out = c.out[:0]
	for _, m := range messages {
		if c.out, err = m.Encode(c.out); err != nil {
			return 0, err
		}
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return 0, err
	}
	var failed error
	for {
		header, err := c.in.Peek(5)
		if err != nil {
			return rows, err
		}
		kind, size := header[0], int(binary.BigEndian.Uint32(header[1:]))+1
		switch {
		case kind == 'D':
			rows++
			if visit != nil {
				body, err := c.body(&size)
				if err != nil {
					return rows, err
				}
				visit(body)
			}
		case kind == 'E':
			body, err := c.body(&size)
			if err != nil {
				return rows, err
			}
			failed = fmt.Errorf("%q", body)
		}
		if _, err := c.in.Discard(size); err != nil {
			return rows, err
		}
		if kind == 'Z' {
			return rows, failed
		}
	}
}

// body takes the frame of the given size and leaves nothing of it to discard.
func (c *client) body(size *int) ([]byte, error) {
	frame := make([]byte, *size)
	*size = 0
	if _, err := io.ReadFull(c.in, frame); err != nil {
		return nil, err
	}
	return frame[5:], nil
}
