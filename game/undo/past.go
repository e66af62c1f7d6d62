package undo

// past is the steps of one author, oldest first.
type past struct {
	undo, redo []*step
	// The step of Begin: its name, and from its first record on the step on top of
	// undo. It may be lost because it is too large or was dropped.
	joining bool
	name    string
	joined  *step
	lost    bool
}

func (p *past) begin(name string) {
	p.end()
	p.joining, p.name = true, name
}

func (p *past) end() { p.joining, p.joined, p.lost = false, nil, false }

func names(steps []*step) (out []string) {
	for _, s := range steps {
		out = append(out, s.name)
	}
	return out
}

// past returns the steps of an author. forget removes them if they are empty.
func (h *History) past(author string) *past {
	if h.authors[author] == nil {
		h.authors[author] = new(past)
	}
	return h.authors[author]
}

func (h *History) forget(author string) {
	if p := h.authors[author]; len(p.undo)+len(p.redo) == 0 && !p.joining {
		delete(h.authors, author)
	}
}

// add pushes a new step, or joins it to the step of Begin.
func (h *History) add(p *past, s *step) error {
	switch {
	case p.lost:
		return ErrTooLarge
	case p.joined != nil:
		h.bytes -= p.joined.bytes
		p.undo = p.undo[:len(p.undo)-1]
		p.joined.join(s)
		s = p.joined
	case p.joining:
		s.name, p.joined = p.name, s
	}
	err := h.push(&p.undo, s)
	if err != nil && p.joining {
		p.joined, p.lost = nil, true
	}
	return err
}

// push pushes s on a stack, and drops the oldest steps that exceed the bound.
func (h *History) push(stack *[]*step, s *step) error {
	if s.bytes > h.max {
		return ErrTooLarge
	}
	h.seq++
	s.seq = h.seq
	*stack = append(*stack, s)
	h.bytes += s.bytes
	for h.bytes > h.max {
		h.dropOldest()
	}
	return nil
}

// dropOldest drops the step that was recorded first.
func (h *History) dropOldest() {
	var of string
	var stack *[]*step
	for author, p := range h.authors {
		for _, t := range []*[]*step{&p.undo, &p.redo} {
			if len(*t) > 0 && (stack == nil || (*t)[0].seq < (*stack)[0].seq) {
				of, stack = author, t
			}
		}
	}
	p, s := h.authors[of], (*stack)[0]
	if p.joined == s {
		p.joined, p.lost = nil, true
	}
	h.dropFirst(stack)
	h.forget(of)
}

func (h *History) dropFirst(stack *[]*step) {
	h.bytes -= (*stack)[0].bytes
	(*stack)[0] = nil
	*stack = (*stack)[1:]
}
