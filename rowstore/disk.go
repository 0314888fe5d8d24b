package rowstore

import "github.com/cockroachdb/pebble/v2/vfs"

// disk is the file system of a store. The library ends the process when some of its files cannot
// be written. A cache must not do that: the first error turns the store off, and the library is
// told of none. What it writes from then on is removed with the store.
type disk struct {
	vfs.FS
	failed func(error)
}

// Create implements vfs.FS.
func (d *disk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, category)
	if err != nil {
		return nil, err
	}
	return &diskFile{f, d.told}, nil
}

// ReuseForWrite implements vfs.FS.
func (d *disk) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(old, name, category)
	if err != nil {
		return nil, err
	}
	return &diskFile{f, d.told}, nil
}

// Rename implements vfs.FS.
func (d *disk) Rename(old, name string) error { return d.told(d.FS.Rename(old, name)) }

// OpenDir implements vfs.FS.
func (d *disk) OpenDir(name string) (vfs.File, error) {
	f, err := d.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &diskFile{f, d.told}, nil
}

func (d *disk) told(err error) error {
	if err != nil {
		d.failed(err)
	}
	return nil
}

// diskFile is a file that is written. Nothing is forced to the disk: what a machine's crash leaves is
// read with checksums, or made anew.
type diskFile struct {
	vfs.File
	told func(error) error // what becomes of an error
}

func (f *diskFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if err = f.told(err); err == nil {
		n = len(p)
	}
	return n, err
}

func (f *diskFile) WriteAt(p []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(p, at)
	if err = f.told(err); err == nil {
		n = len(p)
	}
	return n, err
}

func (f *diskFile) Sync() error                { return nil }
func (f *diskFile) SyncData() error            { return nil }
func (f *diskFile) SyncTo(int64) (bool, error) { return false, nil }
func (f *diskFile) Close() error               { return f.told(f.File.Close()) }
