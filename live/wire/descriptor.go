//go:build ignore

// Writes the messages for polyrhythm.live, which makes its classes from them.
package main

import (
	"log"
	"os"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

func main() {
	file := protodesc.ToFileDescriptorProto(wire.File_live_wire_live_proto)
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(file)
	if err == nil {
		err = os.WriteFile("../../python/polyrhythm/live.binpb", data, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
