// Package frames adds pictures to a dataset after the run: what a camera of the model sees in the
// pose of each row of the table capture, cast by package physics/cast.
package frames
