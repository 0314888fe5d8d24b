package format

import "io"

// Identities calls each for the rows of the draft in their order, with their
// identities alone, until it returns false. f holds what WriteDraft wrote, with a
// number or without.
func (d *Draft) Identities(f io.ReaderAt, each func(*Row) bool) (err error) {
	defer recoverDamage(&err)
	p, err := readParquet(io.NewSectionReader(f, 0, d.Size))
	if err != nil {
		return err
	}
	defer p.close()
	return p.identities(each)
}
