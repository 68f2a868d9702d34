// Package cli is what the commands have in common: exit codes, errors as one
// line, interruption, profiles, and the flags that choose a configuration.
package cli
