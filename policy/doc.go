// Package policy runs a trained policy where nothing else of this module is wanted: in the program of a robot, say.
// It is plain Go without cgo and needs the standard library only.
//
// `train export-policy RUN --to policy --out FILE` writes the file that [Load] reads. [Policy.Act] computes what
// package rl computes, to about 1e-6: the sums are taken in another order. Package
// [github.com/polyrhythm-rl/polyrhythm/policy/onnx] writes the same policy for other runtimes.
package policy
