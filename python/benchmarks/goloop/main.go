// Command goloop steps worlds in Go alone, beside which throughput.py and rllib.py measure steps from Python.
//
//	goloop TASK WORLDS WORKERS TAPE [free]
//
// TAPE is a file of float32s, the actions of some steps of all worlds, which are repeated. With free, each worker takes
// its worlds through all steps without waiting for the others, otherwise all worlds finish a step before any begins the
// next. As any of engines.py, it prints its version, and then for each number of steps on its input the seconds that
// they took.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

func main() {
	runtime.GOMAXPROCS(env.Processors() + 2) // as the library has
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	worlds, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	data, err := os.ReadFile(args[3])
	if err != nil {
		return err
	}
	e, err := env.Make(args[0], env.Options{Worlds: worlds, Workers: workers, Seed: 1, Autoreset: sim.NextStep})
	if err != nil {
		return err
	}
	defer e.Close()
	tape := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
	all, free := len(e.Sim().Actions()), len(args) > 4
	measure := func(steps int) (time.Duration, error) {
		begin, each := time.Now(), 1
		if free {
			each = steps
		}
		for range steps / each {
			err := e.Each(func(w *sim.Worker, b *sim.Block) error {
				for range each {
					step := int(b.N()) % (len(tape) / all)
					copy(b.Actions(), tape[step*all+b.Row()*all/worlds:])
					if err := b.Step(w); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return 0, err
			}
		}
		return time.Since(begin), nil
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode("polyrhythm " + env.Version); err != nil {
		return err
	}
	for {
		var steps int
		if _, err := fmt.Scan(&steps); err != nil {
			return nil // the input has ended
		}
		took, err := measure(steps)
		if err != nil {
			return err
		}
		if err := out.Encode(took.Seconds()); err != nil {
			return err
		}
	}
}
