// Package checkup looks at a configuration before it is trained with: it opens it, takes a second of steps in
// a few worlds, some at rest and some with random actions, and says what it is and what looks wrong.
package checkup
