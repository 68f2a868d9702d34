// Command arm is train with one more task: an arm of two links that reaches for a point.
package main

import (
	"github.com/polyrhythm-rl/polyrhythm/cli"
	"github.com/polyrhythm-rl/polyrhythm/env"
)

func main() { // a task of one's own, with every command that train has
	env.Register(env.Task{Name: "Arm-v0", Model: "arm.xml", Control: "50", Substeps: 10, New: newArm})
	cli.Main() // run, rollout, eval, replay, export …; recorded, learned, replayed like ours
}
