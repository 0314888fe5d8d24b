package format

import "io"

// Identities calls each for the rows of the draft in file order until it returns false. Only the
// identity of each Row is set. f has the bytes that WriteDraft wrote, before or after Number.
func (d *Draft) Identities(f io.ReaderAt, each func(*Row) bool) (err error) {
	defer recoverDamage(&err)
	p, err := readParquet(io.NewSectionReader(f, 0, d.Size))
	if err != nil {
		return err
	}
	defer p.close()
	return p.identities(each)
}
