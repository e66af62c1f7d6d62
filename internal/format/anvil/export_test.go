package anvil

// SetStep has a splice call step before each write.
func (o *SpliceOptions) SetStep(step func(what string) error) { o.step = step }
