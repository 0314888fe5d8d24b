package database

import (
	"context"
	"errors"
	"strings"

	"github.com/ontosql/ontosql/nameservice"
)

// recordChannel takes apart the name of a channel that tells of a concern of a record, such as
// "shop:main/head". ok is false for any other name.
func recordChannel(channel string) (a nameservice.Alias, c nameservice.Concern, ok bool) {
	at := strings.LastIndexByte(channel, '/')
	if at < 0 || !strings.Contains(channel[:at], ":") {
		return a, c, false
	}
	a, err := nameservice.ParseAlias(channel[:at])
	if err != nil || a.String() != channel[:at] {
		return a, c, false
	}
	c, err = nameservice.ParseConcern(channel[at+1:])
	return a, c, err == nil
}

// recordFeed tells of a concern of a record: of the newest watermark, however many there were since.
type recordFeed struct {
	names   Names
	alias   nameservice.Alias
	concern nameservice.Concern
	told    int64
}

// recordNotice is the payload of a concern.
type recordNotice struct {
	PK      string `json:"pk"`
	Concern string `json:"concern"`
	V       int64  `json:"v"`
}

func openRecordFeed(ctx context.Context, names Names, channel string) (feed, error) {
	a, c, _ := recordChannel(channel)
	f := &recordFeed{names: names, alias: a, concern: c}
	_, err := f.next(ctx)
	return f, err
}

func (f *recordFeed) next(ctx context.Context) ([]string, error) {
	r, err := f.names.Get(ctx, f.alias)
	if errors.Is(err, nameservice.ErrNotFound) {
		f.told = 0 // it may be created again
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := r.Value(f.concern).V
	if v == f.told {
		return nil, nil
	}
	f.told = v
	notice := recordNotice{f.alias.String(), f.concern.String(), v}
	return []string{payloadOf(notice, notice)}, nil
}
