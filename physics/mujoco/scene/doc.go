// Package scene describes what MuJoCo compiles as data: model files to merge, and what
// to add where they have none (a floor, a light, actuators). Package mujoco compiles it.
// This package is plain Go without C, so that configurations and tasks may import it.
//
// Units are MuJoCo's: metres, kilograms, seconds, radians.
package scene
