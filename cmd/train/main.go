// Command train trains policies, makes datasets, evaluates policies, and shows the
// clock that all of them run by. See train --help.
package main

import "github.com/polyrhythm-rl/polyrhythm/cli"

func main() { cli.Main() }
