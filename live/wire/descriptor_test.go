package wire

import (
	"os"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// The Python client has the messages that Go has.
func TestPythonHasTheSameMessages(t *testing.T) {
	data, err := os.ReadFile("../../python/polyrhythm/live.binpb")
	if err != nil {
		t.Fatal(err)
	}
	var got descriptorpb.FileDescriptorProto
	if err := proto.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(&got, protodesc.ToFileDescriptorProto(File_live_proto)) {
		t.Error("python/polyrhythm/live.binpb is not live.proto: run go generate ./live/wire")
	}
}
