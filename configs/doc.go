// Package configs reads the description of a run: which task, how many worlds,
// which clock, which sensors, what to record and how to learn.
//
// A configuration is put together in layers, each over the one before it:
//
//	defaults < file < POLYRHYTHM_* variables < --set and other flags
//
// Every layer is checked by itself, so an error names the file, the variable or
// the flag it came from. Decoding is strict: an unknown key is an error that
// names the nearest known one, a number that is not finite is an error, and so
// is a value of the wrong type. [Config.Validate] then checks ranges, and that
// names used in one place are declared in another.
//
// A variable spells a key in capitals with underscores for dots:
// POLYRHYTHM_TRAINING_LEARNING_RATE is training.learning_rate. A flag spells
// it as it is, and finds the entries of a list by name:
// --set runners.Capture.rate=25. Both take any YAML value.
//
// The settings of PPO, of a sensor and of the wall clock are those of packages rl,
// sensors and runners, which declare, default and check them. What a task's own options
// mean is the task's business, see [DecodeOptions].
package configs
