package gateway

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/settings"
)

// resultKey is everything that the answer of a statement hangs on, at the pin of
// the transaction, which it takes. It is nil for a statement whose answer is not
// kept.
//
// The catalog and the settings that names and points are read by (search_path,
// ontosql.as_of) are in it as what they came to: the text for the engine, the
// windows. The settings that texts and times hang on are in it too. What asks
// pg_catalog is known by the catalog's version, the roles, the current one and the search path too,
// pg_settings by all settings, and what belongs to the moment by the rows that it has.
// A window is known by the last commit in it that wrote rows of its type: nothing that
// a row shows hangs on commits of other types, or on the head.
func (p *statement) resultKey(ctx context.Context, args [][]byte) ([]byte, error) {
	s := p.session
	if s.DB.Results == nil || p.plan.Detached() || s.Settings.Value(settings.ResultCache) != "on" {
		return nil, nil
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.permitted(ctx, pin); err != nil {
		return nil, err
	}
	if !reading.Repeats(s.Session, p.plan, pin) {
		return nil, nil
	}
	scoped := p.plan.Scoped
	length := len(scoped.Text)
	for _, arg := range args {
		length += len(arg)
	}
	if length > session.LongestKept {
		return nil, nil
	}
	key := make([]byte, 0, length+256)
	key = appendText(key, pin.Catalog.Version)
	key = appendText(key, s.Settings.OutputKey())
	key = appendText(key, scoped.Text)
	key = binary.AppendUvarint(key, uint64(len(p.plan.Columns))) // a SELECT of none has one for the engine
	for i, arg := range args {
		key = binary.AppendUvarint(key, uint64(scoped.Params[i]))
		if key = append(key, 0); arg != nil {
			key[len(key)-1] = 1
			key = appendText(key, string(arg))
		}
	}
	settled, err := scoped.Settled()
	if err != nil {
		return nil, nil // the statement itself reports the error
	}
	for _, v := range settled {
		key = strconv.AppendBool(key, v.Null)
		key = appendText(key, v.Text)
	}
	if p.plan.Catalog {
		_, others := s.DB.Others()
		key = binary.AppendUvarint(appendText(key, s.Roles().Version()), others)
		key = appendText(key, strings.Join(s.Resolver().NamedPath(), "\x00"))
		key = appendText(key, s.CurrentUser()) // what has_table_privilege and its like ask for
	}
	for i := range p.plan.Relations {
		r := &p.plan.Relations[i]
		if r.View != nil { // the text for the engine has its query
			continue
		}
		if r.Catalog != nil {
			key = appendText(key, r.Catalog.Table())
			switch name := r.Catalog.Name; {
			case name == session.RelationSettings:
				key = appendText(key, s.Settings.Text())
			case s.IsLive(name):
				if err := s.PrepareCatalog(ctx, pin, p.plan); err != nil { // they name objects by their numbers
					return nil, err
				}
				key = fmt.Appendf(key, "%#v", s.LiveRows(name))
			}
			continue
		}
		w, err := reading.WindowOf(ctx, s.Session, pin, p.plan, r, args)
		if err != nil {
			return nil, err
		}
		if w.Lower, w.Upper, err = relation.NarrowWindow(scoped.Needs[i], w.Upper, args); err != nil {
			return nil, err
		}
		key = appendWindow(key, pin.View, r, w)
	}
	return key, nil
}

// appendWindow names the rows of a window: the type, how it is shown, and the
// last commit that wrote rows of it by the manifest, which no other history has.
func appendWindow(key []byte, view *chain.View, r *relation.Relation, w ontosql.Window) []byte {
	key = append(key, byte(r.Type.Ref.Kind), byte(r.Mode))
	key = strconv.AppendBool(key, r.Ref.All)
	key = appendText(key, r.Type.Ref.Name)
	key = binary.AppendVarint(key, int64(w.Lower))
	key = binary.AppendVarint(key, int64(w.Since))
	key = strconv.AppendBool(key, w.Backward)
	path := ""
	if last := view.Commit(view.LastCommitTo(r.Type.Ref, w.Upper)); last != nil {
		path = last.Path
	}
	return appendText(key, path)
}

// appendText appends a text with its length before it.
func appendText(key []byte, text string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(text))), text...)
}
