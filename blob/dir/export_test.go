package dir

// SetStep sets what is called before each call that changes files. If it returns an
// error, the call is not made.
func (b *Bucket) SetStep(step func(call, path string) error) { b.step = step }
