package limits

// Waits returns how many wait.
func (q *Queue) Waits() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waits
}

// Busy reports whether the queue holds anything.
func (q *Queue) Busy() bool {
	return q.used != share{} || len(q.by)+len(q.turns)+len(q.order)+q.waits > 0
}
