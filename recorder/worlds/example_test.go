package worlds_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/worlds"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// A recorder says which tables it fills from worlds, and the capture table has the stamp of every channel.
func ExampleNew() {
	envs, err := env.Make("quadruped", env.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer envs.Close()
	control := worlds.Rates{}.Add(0, runners.Hz(50))
	r, err := worlds.New(envs.Sim().Spec(), envs.Sim().Sensors(), worlds.Selection{
		Tables:   []worlds.TableRates{{Table: format.CaptureTable, Rates: worlds.Rates{}.Add(0, runners.Hz(30))}},
		Control:  control,
		Channels: []string{"gyro"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, table := range r.Tables() {
		fmt.Printf("%s has gyro_stamp_ns: %t\n", table.Name, table.Has("gyro_stamp_ns"))
	}
	// Output:
	// capture has gyro_stamp_ns: true
	// episodes has gyro_stamp_ns: false
}
