// Package curve draws learning curves. It is separate from rl so that rl does not
// depend on a plotting library, and it imports no other package of this project.
package curve
