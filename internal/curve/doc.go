// Package curve draws the course of learning as a picture. It is apart from rl so
// that learning does not depend on a plotting library, and imports nothing of
// this project.
package curve
