// Command bench measures how fast worlds are stepped, against a bare C loop over the same physics. See bench --help.
package main

import "github.com/polyrhythm-rl/polyrhythm/cli"

func main() { cli.Bench() }
