package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"
)

// Config is every setting of the program. It is filled from defaults, the
// optional ontosql.yaml, the environment and flags, in that order; rooms see
// only their Options.
type Config struct {
	File string // --config

	StorageURI      string
	DB              []string // --db: a SQLite file, or NAME=URI for serve
	S3Endpoint      string
	S3Region        string
	S3LockTimeoutMS int64
	S3LeaseTTLMS    int64
	S3RequestSecs   float64
	CacheDir        string
	CacheSize       string
	WorkspaceDir    string
	MemoryLimit     string
	RuntimeID       string
	HeadMaxAge      time.Duration
	NotifyInterval  time.Duration
	JSON            bool
	Nameservice     string
	NameserviceUp   string
	NameserviceRoot string

	sources map[string]string // flag name to "environment" or "file"
}

// source says where a flag's value came from.
func (c *Config) source(f *pflag.Flag) string {
	if from, ok := c.sources[f.Name]; ok {
		return from
	}
	if f.Changed {
		return "flag"
	}
	return "default"
}

// given reports whether a flag has its value from anywhere but its default.
func (c *Config) given(cmd *cobra.Command, name string) bool {
	return c.source(cmd.Flags().Lookup(name)) != "default"
}

// storageFlags are the flags that every command takes, by the names of seed
// 000 section 12.
func (c *Config) storageFlags(f *pflag.FlagSet) {
	f.StringVar(&c.File, "config", "", "`file` of settings, default ontosql.yaml if there is one")
	f.StringVar(&c.StorageURI, "storage-uri", "", "the ontology: s3://bucket/prefix, file:///dir, sqlite:////file.db or a `path`")
	f.StringArrayVar(&c.DB, "db", nil, "an ontology in a SQLite `file`; for serve NAME=URI, repeatable")
	f.StringVar(&c.S3Endpoint, "s3-endpoint-url", "", "`URL` of an S3 server other than AWS")
	f.StringVar(&c.S3Region, "s3-region", "", "AWS region")
	f.Int64Var(&c.S3LockTimeoutMS, "s3-lock-timeout-ms", 5000, "how long to wait for the write lock")
	f.Int64Var(&c.S3LeaseTTLMS, "s3-lease-ttl-ms", 30000, "how long the write lock lasts unless renewed")
	f.Float64Var(&c.S3RequestSecs, "s3-request-timeout-s", 10, "time limit of one S3 request")
	f.StringVar(&c.CacheDir, "cache-dir", "", "what can be rebuilt, default ontosql in the user's cache `directory`")
	f.StringVar(&c.CacheSize, "cache-size", "10GiB", "how much of the disk the cache may fill")
	f.StringVar(&c.MemoryLimit, "memory-limit", "", "memory for the engine of all databases, default half of the machine's")
	f.BoolVar(&c.JSON, "json", false, "print JSON")
}

// workspaceFlags are the flags of the commands that run SQL.
func (c *Config) workspaceFlags(f *pflag.FlagSet) {
	f.StringVar(&c.WorkspaceDir, "workspace-dir", "", "schemas and tables that are no ontology, default ontosql/workspace in the user's data `directory`")
}

// nameserviceFlags are the flags of the commands that use a name service.
func (c *Config) nameserviceFlags(f *pflag.FlagSet) {
	f.StringVar(&c.Nameservice, "nameservice", "", "the name service: file:///dir, s3://bucket/prefix, dynamodb://table or a `path`")
	f.StringVar(&c.NameserviceUp, "nameservice-upstream", "", "the name service that --nameservice is kept in step with, a `URI`")
}

// serverFlags are the flags of the commands that serve clients, in addition to those of
// serveOptions.
func (c *Config) serverFlags(f *pflag.FlagSet) {
	c.workspaceFlags(f)
	f.DurationVar(&c.HeadMaxAge, "head-max-age", 0, "how old the head that a statement reads may be, as in 500ms; 0 asks the store for each")
	f.DurationVar(&c.NotifyInterval, "notify-interval", time.Second, "how often commits and events of others are looked for while a session listens for them (LISTEN); 0 is the default")
}

// normalName knows the other name of a flag.
func normalName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "s3-endpoint" {
		name = "s3-endpoint-url"
	}
	return pflag.NormalizedName(name)
}

// environment lists the variables of a flag, the first that is set wins: ours,
// then the original's.
func environment(flag string) []string {
	names := []string{"ONTOSQL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))}
	switch flag {
	case "storage-uri":
		names = append(names, "ONTOLOGIA_STORAGE_URI")
	case "db":
		names = append(names, "ONTOLOGIA_DB")
	case "s3-endpoint-url":
		names = append(names, "ONTOSQL_S3_ENDPOINT", "ONTOLOGIA_S3_ENDPOINT_URL", "ONTOLOGIA_S3_ENDPOINT")
	case "s3-region":
		names = append(names, "ONTOLOGIA_S3_REGION")
	}
	return names
}

// fill sets what no flag has set, and validates the whole.
func (c *Config) fill(cmd *cobra.Command) error {
	if file := cmd.Flags().Lookup("config"); !file.Changed {
		c.File = os.Getenv("ONTOSQL_CONFIG")
	}
	settings, err := readSettings(c.File)
	if err != nil {
		return err
	}
	for key := range settings {
		if !isFlag(cmd.Root(), key) {
			return usagef("%s: no command has a flag %q", settingsFile(c.File), key)
		}
	}
	c.sources = map[string]string{}
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || failed != nil || f.Name == "help" || f.Name == "config" {
			return
		}
		for _, name := range environment(f.Name) {
			if value, ok := os.LookupEnv(name); ok && value != "" {
				if err := f.Value.Set(value); err != nil {
					failed = usagef("%s: %w", name, err)
				}
				c.sources[f.Name] = "environment"
				return
			}
		}
		for _, value := range settings[f.Name] {
			if err := f.Value.Set(value); err != nil {
				failed = usagef("%s: %s: %w", settingsFile(c.File), f.Name, err)
				return
			}
			c.sources[f.Name] = "file"
		}
	})
	if c.RuntimeID == "" {
		c.RuntimeID = newRuntimeID()
	}
	return failed
}

// isFlag reports whether cmd or a command below it has the flag.
func isFlag(cmd *cobra.Command, name string) bool {
	return cmd.Flags().Lookup(name) != nil || cmd.PersistentFlags().Lookup(name) != nil ||
		slices.ContainsFunc(cmd.Commands(), func(sub *cobra.Command) bool { return isFlag(sub, name) })
}

// settingsFile is the file that readSettings reads.
func settingsFile(file string) string {
	if file == "" {
		return "ontosql.yaml"
	}
	return file
}

// readSettings reads a YAML mapping of flag names to scalars or lists. Without
// a name ontosql.yaml is read if it exists.
func readSettings(file string) (map[string][]string, error) {
	path := settingsFile(file)
	raw, err := os.ReadFile(path)
	if file == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usagef("read settings: %w", err)
	}
	var doc map[string]yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, usagef("%s: %w", path, err)
	}
	settings := map[string][]string{}
	for key, node := range doc {
		var list []string
		var one string
		if err := node.Decode(&one); err == nil {
			list = []string{one}
		} else if err := node.Decode(&list); err != nil {
			return nil, usagef("%s: %s: want a value or a list of values", path, key)
		}
		settings[key] = list
	}
	return settings, nil
}

// cacheDir is where rebuildable files go.
func (c *Config) cacheDir() (string, error) {
	if c.CacheDir != "" {
		return c.CacheDir, nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache directory: %w", err)
	}
	return filepath.Join(base, "ontosql"), nil
}

// workspaceDir is where the workspace of an ontology is kept.
func (c *Config) workspaceDir(a address) (string, error) {
	base := c.WorkspaceDir
	if base == "" {
		data := os.Getenv("XDG_DATA_HOME")
		if data == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", fmt.Errorf("find a directory for the workspace: %w", err)
			}
			data = filepath.Join(home, ".local", "share")
		}
		base = filepath.Join(data, "ontosql", "workspace")
	}
	return filepath.Join(absolute(base), c.storeID(a)), nil
}
