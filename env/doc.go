// Package env opens worlds and steps them: it is the one room that knows all the
// others.
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
// [Make] opens the worlds of a task by its name and [MakeFile] those of a
// configuration file. Underneath, [NewPlan] resolves the clock of a configuration:
// runners, bindings, their order. It needs no engine, so it also serves to print them.
// [Open] builds the rest: the model, the sensors, the task, the worlds, and the
// recording.
package env
