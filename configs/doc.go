// Package configs reads the configuration of a run: the task, the number of worlds,
// the clock, the sensors, what to record and how to learn.
//
// A configuration is built from layers, each of which overrides the one before it:
//
//	defaults < file < POLYRHYTHM_* variables < --set and other flags
//
// Every layer is checked separately, so an error names the file, the variable or the flag that caused it. Decoding is
// strict: an unknown key is an error that suggests the nearest known one, and a number that is not finite or a value
// of the wrong type is an error. [Config.Validate] then checks ranges, and that every runner and channel that is
// referred to is declared.
//
// A variable spells a key in capitals with underscores for dots:
// POLYRHYTHM_TRAINING_LEARNING_RATE is training.learning_rate. A flag takes the key
// unchanged, and selects an entry of a list by its name:
// --set runners.Capture.rate=25. Both take any YAML value.
//
// The settings of PPO, of a sensor and of the wall clock are declared and checked by packages rl, sensors and
// runners. The options of a task are decoded by the task, see [DecodeOptions].
package configs
