package format

import (
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// KeyFilter says which texts the first key column of a data file cannot have, by the bloom filters
// of the file. It is immutable.
type KeyFilter struct{ groups []metadata.BloomFilter }

// ReadKeyFilter reads the filter of a local data file. It is nil for a file of another program, and
// for one without a bloom filter in each row group. Unreadable content is ErrDamagedFile.
func ReadKeyFilter(path string) (_ *KeyFilter, err error) {
	defer recoverDamage(&err)
	p, err := openParquet(path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if !p.ours() {
		return nil, nil
	}
	f, key := &KeyFilter{}, p.leafIndex[p.identityColumns()[0]]
	filters := p.reader.GetBloomFilterReader()
	for group := range p.reader.NumRowGroups() {
		of, err := filters.RowGroup(group)
		if err != nil {
			return nil, damaged("bloom filter: %v", err)
		}
		filter, err := of.GetColumnBloomFilter(key)
		if err != nil {
			return nil, damaged("bloom filter: %v", err)
		}
		if filter == nil {
			return nil, nil
		}
		f.groups = append(f.groups, filter)
	}
	return f, nil
}

// May reports whether the column may have a text: true in about one of a hundred cases where it has
// not.
func (f *KeyFilter) May(text string) bool {
	hash := xxHash.Sum64([]byte(text))
	for _, group := range f.groups {
		if group.CheckHash(hash) {
			return true
		}
	}
	return false
}
