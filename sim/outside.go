package sim

// CommandTask is a [Task] with commands, such as the velocity at which a robot is to walk, that can be given from
// outside while an episode runs.
type CommandTask interface {
	Task

	// Commands lists the commands; it must not change.
	Commands() []CommandSpec

	// SetCommand sets a command of a world at its decision point. The next observation is the first that shows it. With
	// values, which have been checked against the spec, the command stays until the episode ends or SetCommand is
	// called again. With nil the task goes on choosing by itself.
	SetCommand(w *World, command int, values []float64)
}

// CommandSpec describes a command of a task.
type CommandSpec struct {
	Name       string
	ValueNames []string  // of its values
	Low, High  []float64 // bounds of each value
}

// At calls f with a world at its decision point. It must not be called while Each runs; f may write what a task may
// write in Act, and must not keep the world.
func (s *Sim) At(world int, f func(w *World)) {
	b, i := s.find(world)
	f(&b.worlds[i])
}

// Commands lists the commands of the task; nil if it is no [CommandTask].
func (s *Sim) Commands() []CommandSpec {
	if t, ok := s.config.Task.(CommandTask); ok {
		return t.Commands()
	}
	return nil
}

// SetCommand sets a command of a world, as [CommandTask.SetCommand] does, unless its episode is over. It must not be
// called while Each runs.
func (s *Sim) SetCommand(world, command int, values []float64) {
	b, i := s.find(world)
	if w := &b.worlds[i]; w.state == running && w.fault == 0 {
		s.config.Task.(CommandTask).SetCommand(w, command, values)
	}
}

// Reward is the reward of the world's last step.
func (w *World) Reward() float64 { return w.block.reward[w.id] }

// Ended reports how the world's episode ended in the last step, if it did.
func (w *World) Ended() (terminated, truncated bool) {
	return w.block.terminated[w.id], w.block.truncated[w.id]
}

// Episode is the run-wide number of the episode of a world.
func (s *Sim) Episode(world int) int64 {
	b, i := s.find(world)
	return b.worlds[i].episode
}
