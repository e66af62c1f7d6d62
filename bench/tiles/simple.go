package tiles

// lru drops the least recently used payload.
type lru struct{ lists }

func (p *lru) Hit(i int32)              { p.move(0, i) }
func (p *lru) Miss(int32)               {}
func (p *lru) Add(i int32, bytes int64) { p.add(0, i, bytes) }
func (p *lru) Victim() int32            { return p.oldest(0) }
func (p *lru) Removed(i int32)          { p.take(i) }

// clockPolicy is the article's: a hit marks, a marked payload gets another round.
type clockPolicy struct {
	lists
	marks  []bool
	marked bool // new payloads are marked
}

func (p *clockPolicy) Hit(i int32) { p.marks[i] = true }
func (p *clockPolicy) Miss(int32)  {}

func (p *clockPolicy) Add(i int32, bytes int64) {
	p.add(0, i, bytes)
	for len(p.marks) < len(p.nodes) {
		p.marks = append(p.marks, false)
	}
	p.marks[i] = p.marked
}

func (p *clockPolicy) Victim() int32 {
	for p.oldest(0) != none && p.marks[p.oldest(0)] {
		p.marks[p.oldest(0)] = false
		p.move(0, p.oldest(0))
	}
	return p.oldest(0)
}

func (p *clockPolicy) Removed(i int32) { p.take(i) }

// sieve keeps the order of arrival; a hand goes from the oldest to the newest.
type sieve struct {
	clockPolicy
	hand int32
}

func (p *sieve) Victim() int32 {
	i := p.hand
	for {
		if i == none {
			if i = p.oldest(0); i == none {
				return none
			}
		}
		if !p.marks[i] {
			p.hand = i
			return i
		}
		p.marks[i] = false
		i = p.nodes[i].newer
	}
}

func (p *sieve) Removed(i int32) {
	if p.hand == i {
		p.hand = p.nodes[i].newer
	}
	p.take(i)
}

// s3fifo is S3-FIFO. Its ghosts are records that went from the small list within the last
// one capacity of bytes that went.
type s3fifo struct {
	lists
	budget int64
	freq   []uint8
	went   []int64 // what had gone when the record went from the small list, plus 1
	gone   int64
}

const (
	s3small = iota
	s3main
)

func (p *s3fifo) Hit(i int32) { p.freq[i] = min(p.freq[i]+1, 3) }
func (p *s3fifo) Miss(int32)  {}

func (p *s3fifo) Add(i int32, bytes int64) {
	p.reach(i)
	for len(p.freq) < len(p.nodes) {
		p.freq, p.went = append(p.freq, 0), append(p.went, 0)
	}
	list := int8(s3small)
	if w := p.went[i]; w != 0 && p.gone-w < p.budget {
		list = s3main
	}
	p.freq[i], p.went[i] = 0, 0
	p.add(list, i, bytes)
}

func (p *s3fifo) Victim() int32 {
	for {
		i := p.oldest(s3small)
		if i != none && (p.bytes(s3small) > p.budget/10 || p.oldest(s3main) == none) {
			if p.freq[i] == 0 {
				return i
			}
			p.freq[i] = 0
			p.move(s3main, i)
			continue
		}
		if i = p.oldest(s3main); i == none || p.freq[i] == 0 {
			return i
		}
		p.freq[i]--
		p.move(s3main, i)
	}
}

func (p *s3fifo) Removed(i int32) {
	p.gone += p.nodes[i].bytes
	if p.nodes[i].list == s3small {
		p.went[i] = p.gone + 1
	}
	p.take(i)
}
