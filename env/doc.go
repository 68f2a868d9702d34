// Package env opens worlds and steps them. It puts the other packages together.
//
//	envs, err := env.Make("HalfCheetah-v5", env.Options{Worlds: 64, Seed: 1})
//	…
//	defer envs.Close()
//	for range 1000 {
//		envs.SampleActions()
//		if err := envs.Step(); err != nil {
//			…
//		}
//	}
//
// [Make] opens worlds of a task by its name, and [MakeFile] those of a configuration file. Both call [NewPlan], which
// resolves the clock of a configuration without an engine, and [Open], which builds the model, the sensors, the task,
// the worlds and the recording.
package env
