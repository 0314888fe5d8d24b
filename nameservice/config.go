package nameservice

import (
	"context"
	"encoding/json"
	"fmt"
)

// The members of a config that ontosql reads and writes. Others are kept.
const (
	configSettings = "settings" // parameters of sessions, an object of texts
	configComment  = "comment"  // a text
	configStorage  = "storage_uri"
)

// SettingsOf returns the parameters that the sessions of an ontology begin with, by their names. A
// number and a boolean count as their texts. What has another form is left out.
func SettingsOf(config Value) map[string]string {
	var settings object
	_ = json.Unmarshal(orNull(configOf(config)[configSettings]), &settings) // another form is none
	return settings.texts()
}

// texts are the members that are texts, numbers or booleans.
func (o object) texts() map[string]string {
	texts := map[string]string{}
	for name, value := range o {
		var text string
		switch value[0] {
		case '"':
			if json.Unmarshal(value, &text) != nil {
				continue
			}
		case '{', '[', 'n':
			continue
		default:
			text = string(value)
		}
		texts[name] = text
	}
	return texts
}

// StorageOf returns where the store of an ontology is, "" if its config does not say so.
func StorageOf(config Value) string { return textIn(config, configStorage) }

// ReviseStorage says in the config of an ontology where its store is. The other members stay. Errors are
// those of Revise.
func ReviseStorage(ctx context.Context, s Service, a Alias, uri string) error {
	return reviseConfig(ctx, s, a, func(config object) error {
		config[configStorage] = quoted(uri)
		return nil
	})
}

// StoredAt is the config of a new ontology whose store is at a URI.
func StoredAt(uri string) Value {
	return Value{V: 1, Payload: object{configStorage: quoted(uri)}.text()}
}

// CommentOf returns what a config says about its ontology, "" for nothing.
func CommentOf(config Value) string { return textIn(config, configComment) }

// textIn is a member that is a text, "" for none and for another form.
func textIn(config Value, name string) string {
	var text string
	if json.Unmarshal(orNull(configOf(config)[name]), &text) != nil {
		return ""
	}
	return text
}

// configOf are the members of a config, nil for none.
func configOf(config Value) object {
	var o object
	if json.Unmarshal(orNull(config.Payload), &o) != nil {
		return nil
	}
	return o
}

// ReviseSettings replaces the settings of an ontology by what change makes of them. The other members
// of its config stay. Errors are those of Revise.
func ReviseSettings(ctx context.Context, s Service, a Alias, change func(settings map[string]string)) error {
	return reviseConfig(ctx, s, a, func(config object) error {
		settings := object{}
		if !isNull(config[configSettings]) {
			if err := json.Unmarshal(config[configSettings], &settings); err != nil {
				return fmt.Errorf("%s: settings in config: %w", a, err)
			}
		}
		texts := settings.texts()
		for name := range texts { // what has another form stays
			delete(settings, name)
		}
		change(texts)
		for name, text := range texts {
			settings[name] = quoted(text)
		}
		if config[configSettings] = settings.text(); len(settings) == 0 {
			delete(config, configSettings)
		}
		return nil
	})
}

// ReviseComment replaces what the config of an ontology says about it; "" removes it. The other
// members stay. Errors are those of Revise.
func ReviseComment(ctx context.Context, s Service, a Alias, comment string) error {
	return reviseConfig(ctx, s, a, func(config object) error {
		config[configComment] = quoted(comment)
		if comment == "" {
			delete(config, configComment)
		}
		return nil
	})
}

func reviseConfig(ctx context.Context, s Service, a Alias, change func(config object) error) error {
	_, err := Revise(ctx, s, a, Config, func(r *Record) (json.RawMessage, error) {
		config := object{}
		if !isNull(r.Config.Payload) {
			if err := json.Unmarshal(r.Config.Payload, &config); err != nil {
				return nil, fmt.Errorf("%s: config: %w", a, err)
			}
		}
		if err := change(config); err != nil {
			return nil, err
		}
		return config.text(), nil
	})
	return err
}
