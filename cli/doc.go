// Package cli is the program train: its commands, their flags and what they print.
//
// cmd/train is [Main] and nothing else, and so can a program of one's own be that has
// tasks of its own.
package cli
