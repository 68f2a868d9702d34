package terms

// Staged is a value that a curriculum changes at given control steps of the run.
type Staged[T any] struct {
	first  T
	stages []stage[T] // by rising step
}

type stage[T any] struct {
	step  int64
	value T
}

// At returns the value in control step n of the run, see [View.RunStep].
func (s *Staged[T]) At(n int64) T {
	value := s.first
	for i := range s.stages {
		if n < s.stages[i].step {
			break
		}
		value = s.stages[i].value
	}
	return value
}
