package nameservice_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/memory"
)

// TestReviseConfig changes settings and the comment of a config that others have written.
func TestReviseConfig(t *testing.T) {
	ctx, s, a := t.Context(), new(memory.Service), nameservice.Alias{Name: "shop", Branch: "main"}
	if _, err := s.Create(ctx, nameservice.New{Alias: a, CreatedAt: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		r, err := s.Get(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		if !nameservice.EqualPayloads(r.Config.Payload, json.RawMessage(want)) {
			t.Errorf("the config is %s, want %s", r.Config.Payload, want)
		}
	}
	set := func(name, value string) {
		t.Helper()
		err := nameservice.ReviseSettings(ctx, s, a, func(settings map[string]string) { settings[name] = value })
		if err != nil {
			t.Fatal(err)
		}
	}
	set("TimeZone", "UTC")
	check(`{"settings":{"TimeZone":"UTC"}}`)
	others := `{"storage_uri":"s3://b/shop","limit":1.50,"settings":{"work_mem":4096,"jit":true,"odd":{"x":1},"none":null,"list":[]}}`
	if _, err := s.Write(ctx, a, nameservice.NewFastForward(nameservice.Config, nameservice.Value{V: 7, Payload: json.RawMessage(others)})); err != nil {
		t.Fatal(err)
	}
	set("a.b", `<&> "q"`)
	if err := nameservice.ReviseComment(ctx, s, a, "ours"); err != nil {
		t.Fatal(err)
	}
	check(`{"comment":"ours","storage_uri":"s3://b/shop","limit":1.5,"settings":{"work_mem":"4096","jit":"true","a.b":"<&> \"q\"","odd":{"x":1},"none":null,"list":[]}}`)
	r, _ := s.Get(ctx, a)
	if diff := cmp.Diff(map[string]string{"work_mem": "4096", "jit": "true", "a.b": `<&> "q"`}, nameservice.SettingsOf(r.Config)); diff != "" {
		t.Error(diff)
	}
	if r.Config.V != 9 || nameservice.CommentOf(r.Config) != "ours" {
		t.Errorf("the config is at %d with the comment %q", r.Config.V, nameservice.CommentOf(r.Config))
	}
	if err := nameservice.ReviseComment(ctx, s, a, ""); err != nil {
		t.Fatal(err)
	}
	if err := nameservice.ReviseSettings(ctx, s, a, func(settings map[string]string) { clear(settings) }); err != nil {
		t.Fatal(err)
	}
	check(`{"storage_uri":"s3://b/shop","limit":1.5,"settings":{"odd":{"x":1},"none":null,"list":[]}}`)
	for _, odd := range []string{``, `{}`, `{"settings":3,"comment":4}`, `{"settings":null}`} {
		v := nameservice.Value{Payload: json.RawMessage(odd)}
		if got := nameservice.SettingsOf(v); len(got) > 0 || nameservice.CommentOf(v) != "" {
			t.Errorf("%s: settings %v, comment %q; want none", odd, got, nameservice.CommentOf(v))
		}
	}
}
