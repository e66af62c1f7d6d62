package tile

// s3FIFO keeps a small list of new payloads before a main one. What was used in the small
// list goes to the main one, where it has as many rounds as it was used. What left the
// small list and comes back within one budget of bytes that left goes to the main list.
type s3FIFO struct {
	links
	hits   func(uint32) uint32
	budget int64
	small  int64 // bytes of the small list
	gone   int64 // bytes that left
	count  int
}

const (
	smallList uint32 = iota
	mainList
)

const (
	smallPart  = 10 // one part of the budget in so many
	mostRounds = 3
)

// S3FIFO returns the policy of Yang and others, "FIFO queues are all you need for cache
// eviction" (2023). Its ghosts are the records without a payload.
func S3FIFO(budget int64, hits func(id uint32) uint32) Policy {
	return &s3FIFO{links: newLinks(2), hits: hits, budget: budget}
}

func (s *s3FIFO) Add(id uint32, bytes int64) {
	s.hits(id) // of before it came
	n := s.at(id)
	list := smallList
	if n.left != 0 && int64(uint32(s.gone>>10)-n.when) < s.budget>>10 {
		list = mainList
	}
	n.bytes, n.left, n.count = uint32(bytes), 0, 0
	s.put(list, id)
	s.count++
}

// put puts a record at the front of a list.
func (s *s3FIFO) put(list, id uint32) {
	n := s.at(id)
	if n.list == smallList {
		s.small -= int64(n.bytes)
	}
	if list == smallList {
		s.small += int64(n.bytes)
	}
	s.push(list, id)
}

func (s *s3FIFO) Evict(leave func(uint32) bool) bool {
	for range (2 + mostRounds) * s.count {
		id, ok := s.last(smallList)
		if !ok || s.small <= s.budget/smallPart {
			if main, any := s.last(mainList); any {
				id = main
			}
		}
		n := s.at(id)
		n.count = uint8(min(uint32(n.count)+s.hits(id), mostRounds))
		switch {
		case n.count > 0 && n.list == smallList:
			n.count = 0
			s.put(mainList, id)
		case n.count > 0:
			n.count--
			s.put(mainList, id)
		case leave(id):
			s.leave(id)
			return true
		default:
			s.put(mainList, id)
		}
	}
	return false
}

func (s *s3FIFO) leave(id uint32) {
	n := s.at(id)
	s.gone += int64(n.bytes)
	if n.list == smallList {
		n.left, n.when = 1, uint32(s.gone>>10)
	}
	s.Remove(id)
}

func (s *s3FIFO) Remove(id uint32) {
	if n := s.at(id); n.list == smallList {
		s.small -= int64(n.bytes)
	}
	s.take(id)
	s.count--
}

func (s *s3FIFO) Forget(id uint32) { s.at(id).left = 0 }
