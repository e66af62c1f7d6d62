package picture

// Find is family.
func (t *Looks) Find(name string) family { return t.family(name) }
