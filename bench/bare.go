package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"

	"github.com/jackc/pgx/v5/pgproto3"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// newestByKey is byKey as seed 002 section 3.1 has it, with byKey's columns.
const newestByKey = `SELECT entity_key, json_extract(fields_json, '$.name'), json_extract(fields_json, '$.tier'),
	json_extract(fields_json, '$.balance'), json_extract(fields_json, '$.visits')
	FROM entity_history WHERE entity_type = 'Customer' AND entity_key = ? ORDER BY commit_id DESC LIMIT 1`

// serveSQLite serves the SQLite file in a process of its own, as serve does for ontosql, so
// that both answer over a socket. Behind this socket are only prepared statements of SQLite.
// The caller stops it.
func (l *lab) serveSQLite(ctx context.Context, path string) (*gateway, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd, address, err := started(exec.CommandContext(ctx, self, "-sqlite", path))
	if err != nil {
		return nil, err
	}
	return &gateway{cmd: cmd, dsn: "postgres://bench@" + address + "/bench?sslmode=disable"}, nil
}

// bareServer answers byKey, insertOne and nothing, prepared once, and knows no other
// statement. It serves one client.
func bareServer(path string) error {
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, pragma := range []string{"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Println(listener.Addr())
	peer, err := listener.Accept()
	if err != nil {
		return err
	}
	defer peer.Close()
	wire := pgproto3.NewBackend(peer, peer)
	if _, err := wire.ReceiveStartupMessage(); err != nil {
		return err
	}
	wire.Send(&pgproto3.AuthenticationOk{})
	wire.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if err := wire.Flush(); err != nil {
		return err
	}
	prepared := map[string]string{}
	var ask string
	var with [][]byte
	for {
		message, err := wire.Receive()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *pgproto3.Parse:
			prepared[m.Name] = m.Query
			wire.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Bind:
			ask, with = prepared[m.PreparedStatement], m.Parameters
			wire.Send(&pgproto3.BindComplete{})
		case *pgproto3.Execute:
			if err := bareAnswer(conn, wire, ask, with); err != nil {
				return err
			}
		case *pgproto3.Sync:
			wire.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			if err := wire.Flush(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// bareAnswer executes one of the statements.
func bareAnswer(conn *lite.Conn, wire *pgproto3.Backend, sql string, args [][]byte) error {
	switch sql {
	case nothing:
		wire.Send(&pgproto3.DataRow{Values: [][]byte{{0, 0, 0, 1}}})
	case byKey:
		find, err := conn.Prepare(newestByKey)
		if err != nil {
			return err
		}
		find.BindText(1, string(args[0]))
		if found, err := find.Step(); err != nil || !found {
			return fmt.Errorf("no customer %s: %w", args[0], err)
		}
		wire.Send(&pgproto3.DataRow{Values: [][]byte{
			[]byte(find.ColumnText(0)), []byte(find.ColumnText(1)), []byte(find.ColumnText(2)),
			binary.BigEndian.AppendUint64(nil, math.Float64bits(find.ColumnFloat(3))),
			binary.BigEndian.AppendUint64(nil, uint64(find.ColumnInt64(4))),
		}})
		if err := find.Reset(); err != nil {
			return err
		}
	case insertOne:
		var customer []string
		for _, a := range args {
			customer = append(customer, string(a))
		}
		if err := bareCommit(conn, customer); err != nil {
			return err
		}
	default:
		return fmt.Errorf("a statement of no contender: %s", sql)
	}
	wire.Send(&pgproto3.CommandComplete{CommandTag: []byte("DONE 1")})
	return nil
}
