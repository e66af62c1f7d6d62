package arena

// Small makes the arena small and times little of it.
func Small() { edge, runs = 4, 2 }
