// Package cli implements the programs train and bench: their commands, flags and output.
//
// cmd/train only calls [Main]. A program that registers tasks of its own calls it in
// the same way and has every command of train.
package cli
