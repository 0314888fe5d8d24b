package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
)

func (p *program) branchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "branch",
		Short: "make, compare, merge and delete branches",
		Long: "A branch is a store of its own that has the commits of another one up to a point, and then its own.\n" +
			"Branches are given by their addresses, or by their names in a name service.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("branch: want create, list, diff, merge or delete")
		},
	}
	p.cfg.nameserviceFlags(cmd.PersistentFlags())
	cmd.PersistentFlags().StringVar(&p.cfg.NameserviceRoot, "nameservice-root", "", rootUsage)
	cmd.AddCommand(p.branchCreateCommand(), p.branchListCommand(), p.branchDiffCommand(), p.branchMergeCommand(), p.branchDeleteCommand())
	return cmd
}

// branchAddress is where a branch is. With a name service, what has no slash is the name of a database.
func (p *program) branchAddress(ctx context.Context, name string) (address, error) {
	if !p.isDatabase(name) {
		return parseAddress(name)
	}
	l, err := p.newLedgers(ctx)
	if err != nil {
		return address{}, err
	}
	a, err := nameservice.ParseAlias(name)
	if err != nil {
		return address{}, namesError(err)
	}
	r, err := l.record(ctx, a)
	if err != nil {
		return address{}, namesError(fmt.Errorf("%s: %w", name, err))
	}
	if storageURI(r) == "" {
		return address{}, &openError{fmt.Errorf("%s: its record does not say where the store is", name)}
	}
	return parseAddress(storageURI(r))
}

// isDatabase reports whether a name is that of a database of the name service, and no address.
func (p *program) isDatabase(name string) bool {
	return p.cfg.Nameservice != "" && !strings.ContainsAny(name, `/\`)
}

// branchPoint splits NAME@POINT; point is "" if there is none. An @ before a slash is part of the name.
func branchPoint(text string) (name, point string) {
	if i := strings.LastIndexByte(text, '@'); i > 0 && !strings.Contains(text[i:], "/") {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// openedBranch is a branch at a point.
type openedBranch struct {
	*branch.Store
	address address
	at      *ontosql.CommitID // nil for the newest commit
	close   func()
}

// openBranch opens the branch that NAME or NAME@POINT names.
func (p *program) openBranch(ctx context.Context, text string) (*openedBranch, error) {
	name, point := branchPoint(text)
	a, err := p.branchAddress(ctx, name)
	if err != nil {
		return nil, err
	}
	temp, err := p.cfg.transferDir()
	if err != nil {
		return nil, err
	}
	s, err := p.cfg.openStore(ctx, a, p.log)
	if err != nil {
		return nil, err
	}
	b := &openedBranch{address: a, close: s.close, Store: &branch.Store{Address: a.uri(), Bucket: s.bucket, DB: s.db, Pins: s.store, Temp: temp}}
	if point != "" {
		if b.at, err = pointOf(ctx, b.Store, point); err != nil {
			s.close()
			return nil, err
		}
	}
	return b, nil
}

// pointOf is the commit of a point of a branch.
func pointOf(ctx context.Context, s *branch.Store, text string) (*ontosql.CommitID, error) {
	point, err := settings.ReadPoint(text, datetime.TimeInput{Order: datetime.YearFirst, Now: time.Now}, time.UTC)
	if err != nil {
		return nil, &usageError{err}
	}
	pin, err := s.Pins.PinFresh(ctx)
	if err != nil {
		return nil, &openError{fmt.Errorf("%s: %w", s.Address, err)}
	}
	id, err := pin.View.Resolve(point)
	if n, ok := point.Number(); ok && err == nil {
		id = n // one that does not exist is not clamped
	}
	if err != nil {
		return nil, &usageError{fmt.Errorf("%s: %w", s.Address, err)}
	}
	return &id, nil
}

// branchError says what became of a command on branches.
func branchError(doing string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, objstore.ErrNoCopy), errors.Is(err, branch.ErrOtherKind):
		hint = "ontosql copy FROM TO copies a whole history between stores of any kind."
	case errors.Is(err, branch.ErrTaken):
		hint = "Choose another address; nothing was written to this one."
	case errors.Is(err, branch.ErrUnrelated):
		hint = "ontosql branch create makes a branch of an ontology."
	case errors.Is(err, context.Canceled):
		hint = "The same command goes on where this one stopped."
	}
	err = fmt.Errorf("%s: %w", doing, err)
	if hint == "" {
		return &executionError{err}
	}
	return &executionError{&refusal{message: err.Error(), hint: hint, err: err}}
}

func (p *program) branchCreateCommand() *cobra.Command {
	from := ""
	cmd := &cobra.Command{
		Use:   "create BRANCH",
		Short: "make a branch of an ontology at a point",
		Long: "create makes a branch in the same directory tree, bucket or kind of file as its parent: by hard\n" +
			"links, by copies inside the bucket, by SQLite's backup. Nothing passes through this machine's network.",
		Example: "  ontosql branch create /srv/dev --from /srv/onto\n" +
			"  ontosql branch create s3://bucket/dev --from s3://bucket/prod@42\n" +
			"  ontosql branch create dev.db --from onto.db@2026-02-10\n" +
			"  ontosql branch create dev --from shop@42 --nameservice file:///srv/names --nameservice-root /srv/data",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || from == "" {
				return usagef("branch create: want BRANCH and --from STORE[@POINT]")
			}
			if p.isDatabase(args[0]) {
				return p.createNamedBranch(cmd.Context(), args[0], from)
			}
			to, err := parseAddress(args[0])
			if err != nil {
				return err
			}
			return p.createBranch(cmd.Context(), to, from)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the parent, `STORE[@POINT]`: a commit, HEAD~n, a time or a tag")
	return cmd
}

// createdBranch is what branch create answers with --json.
type createdBranch struct {
	Status  string `json:"status"`
	Branch  string `json:"branch"`
	From    string `json:"from"`
	Commit  int64  `json:"commit_id"`
	Objects int    `json:"objects"`
}

func (p *program) createBranch(ctx context.Context, to address, from string) error {
	parent, err := p.openBranch(ctx, from)
	if err != nil {
		return err
	}
	defer parent.close()
	if to.uri() == parent.Address {
		return usagef("branch create: %s and %s are one store", to.text, from)
	}
	done, err := p.makeBranch(ctx, to, parent)
	if err != nil {
		return branchError("branch to "+to.text, err)
	}
	out := createdBranch{"created", to.uri(), parent.Address, int64(done.Commit), done.Objects}
	if done.Already {
		out.Status = "exists"
	}
	if p.cfg.JSON {
		return printJSON(p.out, out)
	}
	if done.Already {
		_, err = fmt.Fprintf(p.out, "%s is that branch already, at commit %d\n", to.text, done.Commit)
		return err
	}
	_, err = fmt.Fprintf(p.out, "Created %s at commit %d of %s\n", to.text, done.Commit, parent.Address)
	return err
}

// makeBranch makes a branch of an opened one.
func (p *program) makeBranch(ctx context.Context, to address, parent *openedBranch) (*branch.Created, error) {
	if to.backend == "sqlite" {
		return branch.CreateFile(ctx, to.path, parent.Store, parent.at)
	}
	bucket, err := p.cfg.openBucket(ctx, to, parent.address.backend == to.backend)
	if err != nil {
		return nil, err
	}
	return branch.Create(ctx, bucket, parent.Store, parent.at)
}

// createNamedBranch makes a branch and its record. A name without a colon is a branch of the ontology
// that it is made from.
func (p *program) createNamedBranch(ctx context.Context, name, from string) error {
	l, err := p.newLedgers(ctx)
	if err != nil {
		return err
	}
	if !strings.Contains(name, ":") {
		parent, _ := branchPoint(from)
		parent, _, _ = strings.Cut(parent, ":")
		name = parent + ":" + name
	}
	a, err := nameservice.ParseAlias(name)
	if err != nil {
		return namesError(err)
	}
	if err := l.CreateDatabase(ctx, a, from); err != nil {
		if said := (*pgerr.Error)(nil); errors.As(err, &said) {
			return &executionError{&refusal{message: "branch create: " + said.Message, hint: said.Hint, err: err}}
		}
		return branchError("branch "+name, err)
	}
	r, err := l.Get(ctx, a)
	if err != nil {
		return namesError(err)
	}
	if p.cfg.JSON {
		return printJSON(p.out, struct {
			Status string `json:"status"`
			Name   string `json:"name"`
			Branch string `json:"branch"`
			From   string `json:"from"`
		}{"created", a.String(), storageURI(r), from})
	}
	_, err = fmt.Fprintf(p.out, "Created %s from %s in %s\n", a, from, storageURI(r))
	return err
}

func (p *program) branchDeleteCommand() *cobra.Command {
	token := ""
	cmd := &cobra.Command{
		Use:     "delete BRANCH",
		Short:   "remove the store of a branch, with all its commits",
		Example: "  ontosql branch delete /srv/dev\n  ontosql branch delete /srv/dev --token TOKEN",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("branch delete: want BRANCH")
			}
			return p.deleteBranch(cmd.Context(), args[0], token)
		},
	}
	cmd.Flags().StringVar(&token, "token", "", "the `token` of a dry run; without it nothing is removed")
	return cmd
}

// deletedBranch is what branch delete answers with --json.
type deletedBranch struct {
	Status  string `json:"status"`
	Branch  string `json:"branch"`
	Head    int64  `json:"head_commit_id"`
	Token   string `json:"token,omitempty"`
	Objects int    `json:"objects,omitempty"`
}

func (p *program) deleteBranch(ctx context.Context, name, token string) error {
	b, err := p.openBranch(ctx, name)
	if err != nil {
		return err
	}
	defer b.close()
	pin, err := b.Pins.PinFresh(ctx)
	if err != nil {
		return &openError{fmt.Errorf("%s: %w", b.Address, err)}
	}
	out := deletedBranch{Status: "dry-run", Branch: b.Address, Head: int64(pin.Head.Commit), Token: branch.DeleteToken(b.Address, pin.View)}
	switch token {
	case "":
		if p.cfg.JSON {
			return printJSON(p.out, out)
		}
		_, err := fmt.Fprintf(p.out, "%s would be removed with its %d commits\n  Token: %s\n", b.Address, out.Head, out.Token)
		return err
	case out.Token:
	default:
		return &dropSafetyError{&refusal{
			message: "branch delete: the token is not that of the branch as it is now",
			hint:    "Without --token the command shows it.",
		}}
	}
	if err := p.noWriter(ctx, b); err != nil {
		return err
	}
	if out.Objects, err = removeStore(ctx, b.address, b.Bucket); err != nil {
		return &executionError{fmt.Errorf("delete %s: %w", b.Address, err)}
	}
	if err := p.forgetBranch(ctx, name); err != nil {
		return err
	}
	out.Status, out.Token = "deleted", ""
	if p.cfg.JSON {
		return printJSON(p.out, out)
	}
	_, err = fmt.Fprintf(p.out, "Deleted %s with its %d commits\n", b.Address, out.Head)
	return err
}

// writerWait is how long branch delete waits for the write lock: a gateway keeps it for a moment after a commit,
// longer on a busy machine.
var writerWait = 10 * time.Second

// noWriter refuses to remove a branch while somebody commits to it.
func (p *program) noWriter(ctx context.Context, b *openedBranch) error {
	lock, err := p.readLock(ctx, b.address)
	for until := time.Now().Add(writerWait); ; lock, err = p.readLock(ctx, b.address) {
		if err != nil || lock == nil || lock.Free || lock.Expired(time.Now()) {
			return err
		}
		if time.Now().After(until) {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(writerWait / 50):
		}
	}
	return &conflictError{&refusal{
		message: fmt.Sprintf("delete %s: %s holds the write lock until %s", b.Address, lock.OwnerID, lock.ExpiresAt),
		hint:    "Try again when it is done; ontosql lock break takes the lock from a writer that has died.",
	}}
}

// forgetBranch removes the record of a branch whose store was removed, if it has one.
func (p *program) forgetBranch(ctx context.Context, name string) error {
	if !p.isDatabase(name) {
		return nil
	}
	l, err := p.newLedgers(ctx)
	if err != nil {
		return err
	}
	a, err := nameservice.ParseAlias(name)
	if err != nil {
		return namesError(err)
	}
	return namesError(l.remove(ctx, a, "the branch was deleted"))
}

// removeStore removes the store at an address, whose bucket is b, nil for a SQLite file.
func removeStore(ctx context.Context, a address, b objstore.Bucket) (objects int, err error) {
	if b == nil {
		return removeFile(a.path)
	}
	return branch.Delete(ctx, b)
}

// removeFile removes a SQLite file and the files that SQLite keeps beside it, which are not valid
// without it.
func removeFile(path string) (files int, err error) {
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		switch removed := os.Remove(name); {
		case removed == nil:
			files++
		case !errors.Is(removed, os.ErrNotExist):
			err = errors.Join(err, removed)
		}
	}
	return files, err
}
