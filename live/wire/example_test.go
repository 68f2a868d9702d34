package wire_test

import (
	"fmt"
	"log"

	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// An intent as it is sent.
func Example() {
	data, err := proto.Marshal(&wire.Intent{Id: 1, Kind: &wire.Intent_Pause{Pause: &wire.Pause{Paused: true}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(data), "bytes")
	// Output: 6 bytes
}
