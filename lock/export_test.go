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

// YieldsAt returns after which of n looks in vain a goroutine yields.
func YieldsAt(w Wait, n int) (at []int) {
	look := 1
	w.Yield = func() { at = append(at, look) }
	for c := w.complete(); look <= n; look++ {
		c.next(look)
	}
	return at
}

// Start lets an unlocked lock go on with a number.
func (l *Ticket[P]) Start(number uint32) {
	l.next.Store(number)
	l.serving.Store(number)
}

// Start lets an unlocked lock go on with a number.
func (l *Anderson[P]) Start(number uint32) {
	l.next.Store(number)
	l.turn = number
	for turn := number - uint32(len(l.slots)); turn != number; turn++ {
		l.slot(turn + 1).Store(turn + 1)
	}
}

// Slots is how many there are.
func (l *Anderson[P]) Slots() int { return len(l.slots) }

// Come is the first half of a Lock that has to wait, link the next step.
func (k *mcsLocker[P]) Come() (link func()) {
	k.waiting.Store(1)
	before := k.of.tail.Swap(k)
	return func() { before.behind.Store(k) }
}

// Waiting reports whether k waits.
func (k *mcsLocker[P]) Waiting() bool { return k.waiting.Load() != 0 }
