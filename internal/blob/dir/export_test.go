package dir

// SetStep sets what is called before each call that changes files. If it returns an
// error, the call is not made.
func (b *Folder) SetStep(step func(call, path string) error) { b.step = step }

// OpenWith is Open with what SetStep sets.
func OpenWith(root string, step func(call, path string) error) (*Folder, error) {
	b := newBucket(root, Options{})
	b.step = step
	return b, b.open()
}
