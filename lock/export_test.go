package lock

// Tail changes when a goroutine joins the queue.

func (l *Ticket[P]) Tail() any         { return l.next.Load() }
func (l *Anderson[P]) Tail() any       { return l.next.Load() }
func (l *GraunkeThakkar[P]) Tail() any { return l.tail.Load() }
func (l *MCS[P]) Tail() any            { return l.tail.Load() }
func (l *CLH[P]) Tail() any            { return l.tail.Load() }
func (l *SmallTicket[W, P]) Tail() any {
	next, _ := l.split(l.word.Load())
	return next
}

// BackOffs returns how many rounds n back-offs of one goroutine wait.
func BackOffs(w Wait, n int) (waited []int) {
	w.BackOff = func(rounds int) { waited = append(waited, rounds) }
	rounds := 0
	for c := w.complete(); n > 0; n-- {
		rounds = c.backOff(rounds)
	}
	return waited
}

// Pauses is what waits by PAUSE.
func Pauses(n int) { pauses(n) }
