package wire

import (
	"os"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The Python client has the messages that Go has.
func TestPythonHasTheSameMessages(t *testing.T) {
	data := polytest.Must(os.ReadFile("../../python/polyrhythm/live.binpb"))(t)
	var got descriptorpb.FileDescriptorProto
	polytest.NoError(t, proto.Unmarshal(data, &got))
	if !proto.Equal(&got, protodesc.ToFileDescriptorProto(File_live_wire_live_proto)) {
		t.Error("python/polyrhythm/live.binpb is not live.proto: run go generate ./live/wire")
	}
}
