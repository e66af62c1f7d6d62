package tile

// s3FIFO has two queues. A new payload comes into the small one. When it reaches its end it
// goes on to the main one if it was used, and leaves if it was not. What left the small
// queue within the last budget of bytes comes back into the main one: the kept records
// remember when.
type s3FIFO struct {
	lists
	used   func(uint32) bool
	budget int64
	count  int
	gone   int64 // bytes that left
}

const (
	small uint8 = iota
	main
)

// smallPart is the part of the budget, as a divisor, that the small queue has.
const smallPart = 10

// S3FIFO returns the policy of Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you
// need for cache eviction", 2023. Its ghosts are the records.
func S3FIFO(budget int64, used func(id uint32) bool) Policy {
	return &s3FIFO{lists: newLists(2), used: used, budget: budget}
}

func (s *s3FIFO) Add(id uint32, bytes int64) {
	s.used(id)
	n := s.at(id)
	n.bytes = bytes
	to := small
	if n.from == small && int64(uint32(s.gone>>10)-n.went) < s.budget>>10 {
		to = main
	}
	s.push(to, id)
	s.count++
}

func (s *s3FIFO) Evict(leave func(uint32) bool) bool {
	for range 3 * s.count {
		from := main
		if s.bytes[small] > s.budget/smallPart || s.bytes[main] == 0 {
			from = small
		}
		id, _ := s.oldest(from)
		switch {
		case s.used(id):
			s.push(main, id)
		case leave(id):
			s.Remove(id)
			return true
		default:
			s.push(from, id)
		}
	}
	return s.evictAny(leave, s.Remove)
}

func (s *s3FIFO) Remove(id uint32) {
	n := s.at(id)
	s.gone += n.bytes
	n.from, n.went = n.list, uint32(s.gone>>10)
	s.take(id)
	s.count--
}

func (s *s3FIFO) Forget(id uint32) { s.at(id).from = noList }
