package commit

import "fmt"

// Waiting is how many transactions wait in the queue.
func (c *Committer) Waiting() int {
	n, _ := c.queue.State()
	return n
}

// LimitPages bounds the number of pages that the file may grow by, 0 for no limit. Only the
// worker may call it.
func (c *Committer) LimitPages(more int) {
	if more == 0 {
		return
	}
	pages, _, err := c.writer.Int64("PRAGMA page_count")
	if err != nil {
		panic(err)
	}
	if err := c.writer.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+int64(more))); err != nil {
		panic(err)
	}
}
