package live_test

import (
	"context"
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// A client watches a pendulum.
func Example() {
	name, data, err := configs.Preset("InvertedPendulum-v5")
	if err != nil {
		log.Fatal(err)
	}
	cfg, err := configs.Parse(name, data, []string{"worlds=1", "time.mode=sim_realtime", "recording.enabled=false"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	e, err := env.Open(cfg, env.OpenOptions{Poses: true})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	server, err := live.New(live.Config{Env: e, Time: cfg.Time.Settings})
	if err != nil {
		log.Fatal(err)
	}
	client, err := server.Join(live.JoinOptions{Name: "example", Role: live.Watch})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()

	var decoder wire.Decoder
	for decoder.Frame() == nil {
		update, err := client.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		if err := decoder.Update(update); err != nil {
			log.Fatal(err)
		}
	}
	stop()
	<-done
	fmt.Println(len(decoder.Frame().GetWorlds()), "world")
	// Output: 1 world
}

// A program captures the position of a cart at each tenth of a second, with its timestamp.
func ExampleServer_Capture() {
	name, data, err := configs.Preset("InvertedPendulum-v5")
	if err != nil {
		log.Fatal(err)
	}
	cfg, err := configs.Parse(name, data, []string{"worlds=1", "time.mode=sim_realtime", "recording.enabled=false"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	e, err := env.Open(cfg, env.OpenOptions{Poses: true, Capture: true})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	server, err := live.New(live.Config{Env: e, Time: cfg.Time.Settings})
	if err != nil {
		log.Fatal(err)
	}
	capture, err := server.Capture(live.Watch, &wire.CaptureRequest{Runner: "Capture", Values: []string{"poses"},
		Every: 3})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()

	captures, err := capture.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	first := captures.Captures[0]
	fmt.Println("boundary", first.K, "at", first.Ns, "ns has poses of", *first.Values[0].Ns, "ns")
	stop()
	<-done
	// Output: boundary 0 at 0 ns has poses of 0 ns
}
