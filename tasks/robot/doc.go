// Package robot is the task that a configuration describes: how episodes start, and lists
// of terms (package terms) for actions, observations, rewards, terminations, commands,
// events and curriculum. It owns the settings of these sections.
package robot
