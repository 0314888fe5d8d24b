package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// timed runs SQL by the simple protocol and says how long it took.
func (c *client) timed(sql string) (time.Duration, error) {
	began := time.Now()
	_, err := c.query(sql)
	return time.Since(began), err
}

// copyIn runs a COPY FROM STDIN with the given data.
func (c *client) copyIn(sql string, data io.Reader) error {
	var err error
	if c.out, err = (&pgproto3.Query{String: sql}).Encode(c.out[:0]); err != nil {
		return err
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return err
	}
	header, err := c.in.Peek(5)
	if err != nil {
		return err
	}
	if header[0] == 'G' { // else it is an error, and nothing is sent
		if err := c.sendData(data); err != nil {
			return err
		}
	}
	if _, err := c.exchange(nil); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// sendData sends all of data in pieces, and its end.
func (c *client) sendData(data io.Reader) error {
	const head = 5
	piece := make([]byte, head+1<<16)
	for {
		n, err := io.ReadFull(data, piece[head:])
		if n > 0 {
			piece[0] = 'd'
			binary.BigEndian.PutUint32(piece[1:], uint32(4+n))
			if _, err := c.conn.Write(piece[:head+n]); err != nil {
				return err
			}
		}
		switch {
		case err == nil:
			continue
		case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return err
		}
		done, err := (&pgproto3.CopyDone{}).Encode(nil)
		if err == nil {
			_, err = c.conn.Write(done)
		}
		return err
	}
}
