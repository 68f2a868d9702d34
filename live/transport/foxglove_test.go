package transport

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// fox is a connection by Foxglove's protocol.
func fox(t *testing.T, s *served, protocol string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(bound(t), "ws://"+s.web+FoxglovePath,
		&websocket.DialOptions{Subprotocols: []string{protocol}})
	polytest.NoError(t, err)
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 26)
	return conn
}

// A viewer sees the poses that the others see, at the exact time, and is told what is wrong.
func TestFoxglove(t *testing.T) {
	const viewer = "https://viewer.example"
	s := serve(t, Options{Origins: []string{viewer}})
	ctx := bound(t)
	for origin, want := range map[string]bool{viewer: true, "https://evil.example": false} {
		conn, _, err := websocket.Dial(ctx, "ws://"+s.web+FoxglovePath, &websocket.DialOptions{
			Subprotocols: []string{"foxglove.websocket.v1"}, HTTPHeader: http.Header{"Origin": {origin}},
		})
		if (err == nil) != want {
			t.Errorf("origin %s: error %v", origin, err)
		}
		if err == nil {
			conn.CloseNow()
		}
	}
	for _, protocol := range []string{"foxglove.websocket.v1", "foxglove.sdk.v1"} {
		conn := fox(t, s, protocol)
		polytest.Equal(t, conn.Subprotocol(), protocol, "the subprotocol")
		text := func() (m map[string]any) {
			for {
				kind, data, err := conn.Read(ctx)
				polytest.NoError(t, err)
				if kind != websocket.MessageText {
					continue
				}
				polytest.NoError(t, json.Unmarshal(data, &m))
				return m
			}
		}
		if m := text(); m["op"] != "serverInfo" || m["name"] != "polyrhythm quadruped" {
			t.Fatalf("the first message is %v", m)
		}
		ids := map[string]int{}
		for _, c := range text()["channels"].([]any) {
			channel := c.(map[string]any)
			ids[channel["topic"].(string)] = int(channel["id"].(float64))
			if err := json.Unmarshal([]byte(channel["schema"].(string)), &map[string]any{}); err != nil {
				t.Errorf("the schema of %v: %v", channel["topic"], err)
			}
		}
		for _, bad := range []string{"", "{", `{"op":"advertise"}`,
			`{"op":"subscribe","subscriptions":[{"id":1,"channelId":99}]}`, `{"op":"subscribe","subscriptions":[{"id":-1}]}`} {
			polytest.NoError(t, conn.Write(ctx, websocket.MessageText, []byte(bad)))
			if m := text(); m["op"] != "status" {
				t.Errorf("%q: the answer is %v, want a status", bad, m)
			}
		}
		for id, topic := range []string{"/tf", "/scene", "/state"} {
			data, _ := json.Marshal(map[string]any{"op": "subscribe", "subscriptions": []any{map[string]int{"id": id,
				"channelId": ids[topic]}}})
			polytest.NoError(t, conn.Write(ctx, websocket.MessageText, data))
		}
		got := map[uint32]map[string]any{}
		for len(got) < 3 {
			_, data, err := conn.Read(ctx)
			polytest.NoError(t, err)
			if data[0] != 1 {
				continue
			}
			var m map[string]any
			polytest.NoError(t, json.Unmarshal(data[13:], &m))
			got[binary.LittleEndian.Uint32(data[1:])] = m
		}
		polytest.Equal(t, len(got[0]["transforms"].([]any)), 13, "transforms")
		if n := len(got[1]["entities"].([]any)); n < 10 {
			t.Errorf("%d entities, want one of each body that is seen", n)
		}
		if got[2]["n"] != 0.0 || got[2]["paused"] != true {
			t.Errorf("the state is %v", got[2])
		}
		conn.Close(websocket.StatusNormalClosure, "")
	}
	conn, _, err := websocket.Dial(ctx, "ws://"+s.web+FoxglovePath, nil)
	if err == nil {
		if _, _, err = conn.Read(ctx); err == nil || !strings.Contains(err.Error(), "want the subprotocol") {
			t.Errorf("error %v without a subprotocol", err)
		}
	}
}

// A viewer gets each picture of a camera once, as an image of its own time, and none before there is one.
func TestFoxglovePictures(t *testing.T) {
	s := serveTask(t, "Ant-v5", Options{}, 0, "runners.Capture.rate=5", "sensors=[{name: front, runner: Capture, "+
		"latency: 20ms, camera: {name: track, width: 4, height: 3, kinds: [normals, depth, rgb, segmentation]}}]")
	ctx := bound(t)
	conn := fox(t, s, "foxglove.sdk.v1")
	var hello struct {
		Channels []struct {
			ID         int
			Topic      string
			SchemaName string
		}
	}
	for range 2 {
		_, data, err := conn.Read(ctx)
		polytest.NoError(t, err)
		polytest.NoError(t, json.Unmarshal(data, &hello))
	}
	var subscriptions []any
	topics := map[uint32]string{}
	for _, c := range hello.Channels {
		if strings.HasPrefix(c.Topic, "/channel/") {
			polytest.Equal(t, c.SchemaName, "foxglove.CompressedImage", "schema of %s", c.Topic)
			topics[uint32(c.ID)] = c.Topic
		} else if c.Topic != "/state" {
			continue
		}
		subscriptions = append(subscriptions, map[string]int{"id": c.ID, "channelId": c.ID})
	}
	data, _ := json.Marshal(map[string]any{"op": "subscribe", "subscriptions": subscriptions})
	polytest.NoError(t, conn.Write(ctx, websocket.MessageText, data))
	const steps = 19 // to 0.95 s
	client := s.dial(t, insecure.NewCredentials())
	updates := polytest.Must(client.Join(ctx, &wire.JoinRequest{}))(t)
	welcome := polytest.Must(updates.Recv())(t)
	started := false
	seen := map[string][]int64{}
	for n := 0.0; n < steps; {
		_, data, err := conn.Read(ctx)
		polytest.NoError(t, err)
		if data[0] != 1 {
			continue
		}
		topic := topics[binary.LittleEndian.Uint32(data[1:])]
		if topic == "" {
			var state struct{ N float64 }
			polytest.NoError(t, json.Unmarshal(data[13:], &state))
			if n = state.N; !started { // it has subscribed
				started = true
				polytest.Must(client.Step(ctx, &wire.StepRequest{Session: welcome.GetWelcome().GetSession(), Steps: steps}))(t)
			}
			continue
		}
		var m foxImage
		polytest.NoError(t, json.Unmarshal(data[13:], &m))
		picture := polytest.Must(png.Decode(bytes.NewReader(m.Data)))(t)
		if size := picture.Bounds().Size(); size != image.Pt(4, 3) || m.Format != "png" {
			t.Errorf("%s is %v, %s", topic, size, m.Format)
		}
		for i := range 4 * 3 { // values behind the normals are where they belong
			c, ok := picture.At(i%4, i/4).(color.Gray16)
			if ok != (strings.HasSuffix(topic, "depth") || strings.HasSuffix(topic, "segmentation")) {
				t.Errorf("%s has pixels of %T", topic, picture.At(i%4, i/4))
			}
			if strings.HasSuffix(topic, "segmentation") && c.Y > 20 || strings.HasSuffix(topic, "depth") && c.Y > 0 && c.Y < 200 {
				t.Errorf("%s: pixel %d is %d", topic, i, c.Y)
			}
		}
		seen[topic] = append(seen[topic], m.Timestamp.Sec*1e9+m.Timestamp.Nsec)
	}
	for _, topic := range topics {
		polytest.EqualSlices(t, seen[topic], []int64{0, 200e6, 400e6, 600e6, 800e6}, "times of %s", topic)
	}
	polytest.Equal(t, len(topics), 4, "topics of pictures")
}

// A viewer sees the ground of a world of Box2D, and that of the next episode, which is another.
func TestFoxgloveGround(t *testing.T) {
	s := serveTask(t, "LunarLander-v3", Options{}, 0)
	ctx := bound(t)
	conn := fox(t, s, "foxglove.sdk.v1")
	program, session := socket(t, s)
	for id, topic := range []string{"/scene", "/state"} { // channels 2 and 3
		data, _ := json.Marshal(map[string]any{"op": "subscribe", "subscriptions": []any{map[string]int{"id": id,
			"channelId": id + 2}}})
		if err := conn.Write(ctx, websocket.MessageText, data); err != nil {
			t.Fatalf("%s: %v", topic, err)
		}
	}
	type triangles struct{ Points []foxVector }
	grounds, episode := [][]triangles{}, 0
	for len(grounds) < 2 {
		_, data, err := conn.Read(ctx)
		if err != nil {
			t.Fatalf("%v after %d grounds", err, len(grounds))
		}
		if data[0] != 1 {
			continue
		}
		var m struct {
			Episode  int
			Entities []struct {
				ID        string
				Frame     string `json:"frame_id"`
				Triangles []triangles
			}
		}
		polytest.NoError(t, json.Unmarshal(data[13:], &m))
		if binary.LittleEndian.Uint32(data[1:]) == 1 {
			episode = m.Episode
			continue
		}
		for _, e := range m.Entities {
			if e.ID == "ground" && e.Frame == "world" {
				grounds = append(grounds, e.Triangles)
			}
		}
		if len(grounds) != 1 || episode != 0 {
			continue
		}
		send(t, program, &wire.Intent{Session: session, Kind: &wire.Intent_Reset_{Reset_: &wire.Reset{}}})
	}
	for i, g := range grounds {
		if len(g) != 1 || len(g[0].Points) < 30 || len(g[0].Points)%3 != 0 {
			t.Fatalf("ground %d has %v, want the triangles of ten edges", i, g)
		}
	}
	if slices.Equal(grounds[0][0].Points, grounds[1][0].Points) {
		t.Error("two episodes have the same ground")
	}
}

// Foxglove's own client library reads what is sent. POLYTEST_FOXGLOVE names the folder of
// testdata/foxglove after npm ci.
func TestFoxglovesOwnClient(t *testing.T) {
	folder := os.Getenv("POLYTEST_FOXGLOVE")
	if folder == "" {
		t.Skip("POLYTEST_FOXGLOVE names no folder with Foxglove's client; run npm ci in live/transport/testdata/foxglove")
	}
	s := serve(t, Options{})
	ctx := bound(t)
	run := exec.CommandContext(ctx, "node", "client.js", "ws://"+s.web+FoxglovePath)
	run.Dir = folder
	var problems strings.Builder
	run.Stderr = &problems
	out := polytest.Must(run.StdoutPipe())(t)
	polytest.NoError(t, run.Start())
	lines := json.NewDecoder(out)
	var ready struct{ Channels []string }
	if err := lines.Decode(&ready); err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	client := s.dial(t, insecure.NewCredentials())
	updates := polytest.Must(client.Join(ctx, &wire.JoinRequest{}))(t)
	welcome := polytest.Must(updates.Recv())(t)
	polytest.Must(client.Step(ctx, &wire.StepRequest{Session: welcome.GetWelcome().GetSession(), Steps: 10}))(t)
	var seen struct {
		Transforms, Entities, Steps int
		Times                       []string // ns
	}
	if err := lines.Decode(&seen); err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	if err := run.Wait(); err != nil {
		t.Errorf("%v: %s", err, problems.String())
	}
	if seen.Transforms != 13 || seen.Entities < 10 || seen.Steps != 10 || seen.Times[len(seen.Times)-1] != "200000000" {
		t.Errorf("Foxglove's client saw %+v, want 13 transforms of step 10 at 0.2 s", seen)
	}
}

// No message of a client breaks what serves it.
func FuzzFoxglove(f *testing.F) {
	f.Add(true, []byte(`{"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]}`))
	f.Add(true, []byte(`{"op":"unsubscribe","subscriptionIds":[1]}`))
	f.Add(false, []byte{1, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, text bool, data []byte) {
		g := &foxglove{send: func(websocket.MessageType, []byte) error { return nil }, subscriptions: map[uint32]uint32{}}
		g.channels = []foxChannel{{ID: 1, Topic: "/tf"}}
		kind := websocket.MessageBinary
		if text {
			kind = websocket.MessageText
		}
		if err := g.handle(kind, data); err != nil {
			t.Error(err)
		}
		if len(g.subscriptions) > maxSubscriptions {
			t.Errorf("%d subscriptions", len(g.subscriptions))
		}
	})
}
