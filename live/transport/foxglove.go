package transport

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// FoxglovePath is where a run is served by Foxglove's WebSocket protocol, for Foxglove and
// Lichtblick: https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md.
const FoxglovePath = "/foxglove"

const maxSubscriptions = 1000 // of a client

// foxglove serves one client, which only watches. A token comes as "Authorization: Bearer
// TOKEN" or, from a browser, as ?token=TOKEN.
func (w *Web) foxglove(to http.ResponseWriter, r *http.Request) {
	secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if secret == "" {
		secret = r.URL.Query().Get("token")
	}
	if _, err := w.options.Access.role(secret); err != nil {
		w.options.log("refused " + r.RemoteAddr + ": " + err.Error())
		http.Error(to, err.Error(), http.StatusUnauthorized)
		return
	}
	conn, err := websocket.Accept(to, r, &websocket.AcceptOptions{
		Subprotocols:       []string{"foxglove.sdk.v1", "foxglove.websocket.v1"},
		InsecureSkipVerify: true, // guard has checked the origin
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	if conn.Subprotocol() == "" {
		conn.Close(websocket.StatusPolicyViolation, "want the subprotocol foxglove.websocket.v1 or foxglove.sdk.v1")
		return
	}
	conn.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := w.run.Join(live.JoinOptions{Name: "foxglove", Role: live.Watch})
	if err != nil {
		conn.Close(websocket.StatusTryAgainLater, reason(err))
		return
	}
	defer c.Close()
	go func() { // ends a write that blocks
		select {
		case <-c.Ended():
			cancel()
		case <-ctx.Done():
		}
	}()
	go w.options.watch(ctx, c, conn.Ping)
	f := newFoxglove(w.run, func(kind websocket.MessageType, data []byte) error {
		bound, cancel := context.WithTimeout(ctx, sendWithin) // also while the run is paused
		defer cancel()
		return conn.Write(bound, kind, data)
	})
	if err := f.greet(); err != nil {
		return
	}
	go func() {
		defer cancel()
		for {
			kind, data, err := conn.Read(ctx)
			if err != nil || f.take(kind, data) != nil {
				return
			}
		}
	}()
	for {
		data, err := c.Next(ctx)
		if err == nil {
			err = f.update(data)
		}
		if err != nil {
			return
		}
	}
}

// foxglove is what a client of the protocol is told.
type foxglove struct {
	send     func(websocket.MessageType, []byte) error
	task     string
	channels []foxChannel
	shaped   bool // episodes shape the ground

	mu            sync.Mutex
	decoder       live.Decoder
	frames        int64             // that have been decoded
	subscriptions map[uint32]uint32 // channel by id
	ns, from      int64             // time of the newest frame, and at which the episode of world 0 began
	episode       int64
}

// foxChannel is a channel, and what makes its newest message.
type foxChannel struct {
	ID             uint32 `json:"id"`
	Topic          string `json:"topic"`
	Encoding       string `json:"encoding"`
	SchemaName     string `json:"schemaName"`
	SchemaEncoding string `json:"schemaEncoding"`
	Schema         string `json:"schema"`

	message func() any
	world   int
}

func newFoxglove(run *live.Server, send func(websocket.MessageType, []byte) error) *foxglove {
	d := run.Description()
	outlines, _ := run.Ground(0)
	f := &foxglove{send: send, task: d.GetTask(), shaped: len(outlines) > 0, subscriptions: map[uint32]uint32{}}
	for w := range int(d.GetWorlds()) {
		add := func(topic, name, schema string, message func() any) {
			f.channels = append(f.channels, foxChannel{uint32(len(f.channels)) + 1, topic, "json", name, "jsonschema", schema, message, w})
		}
		topic := ""
		if d.GetWorlds() > 1 {
			topic = fmt.Sprintf("/world%d", w)
		}
		for t, track := range d.GetTracks() {
			if track.GetName() == "poses" {
				add(topic+"/tf", "foxglove.FrameTransforms", transformsSchema, func() any { return f.transforms(topic, w, t) })
				add(topic+"/scene", "foxglove.SceneUpdate", sceneSchema, f.scene(topic, w, run))
				continue
			}
			add(topic+"/"+track.GetName(), "polyrhythm.Channel", channelSchema, func() any { return f.channel(w, t) })
		}
		add(topic+"/state", "polyrhythm.State", stateSchema, func() any { return f.state(w) })
	}
	return f
}

// greet says who serves, and what.
func (f *foxglove) greet() error {
	if err := f.text(map[string]any{"op": "serverInfo", "name": "polyrhythm " + f.task, "capabilities": []string{"time"}, "metadata": map[string]string{}}); err != nil {
		return err
	}
	return f.text(map[string]any{"op": "advertise", "channels": f.channels})
}

func (f *foxglove) text(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return f.send(websocket.MessageText, data)
}

// complain tells the client what was wrong; its connection stays.
func (f *foxglove) complain(why string) error {
	return f.text(map[string]any{"op": "status", "level": 2, "message": why})
}

// take takes a message of the client. An error ends the connection.
func (f *foxglove) take(kind websocket.MessageType, data []byte) error {
	var m struct {
		Op            string `json:"op"`
		Subscriptions []struct {
			ID      uint32 `json:"id"`
			Channel uint32 `json:"channelId"`
		} `json:"subscriptions"`
		IDs []uint32 `json:"subscriptionIds"`
	}
	if kind != websocket.MessageText || json.Unmarshal(data, &m) != nil {
		return f.complain("a message is not valid, want a subscribe or an unsubscribe as JSON")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch m.Op {
	case "subscribe":
		for _, s := range m.Subscriptions {
			_, twice := f.subscriptions[s.ID]
			if s.Channel < 1 || int(s.Channel) > len(f.channels) || twice || len(f.subscriptions) >= maxSubscriptions {
				return f.complain(fmt.Sprintf("subscription %d of channel %d is not possible, want a new one of a channel from 1 to %d, at most %d", s.ID, s.Channel, len(f.channels), maxSubscriptions))
			}
			f.subscriptions[s.ID] = s.Channel
			if f.frames > 0 { // a paused run has no next frame soon
				if err := f.message(s.ID, &f.channels[s.Channel-1]); err != nil {
					return err
				}
			}
		}
		return nil
	case "unsubscribe":
		for _, id := range m.IDs {
			delete(f.subscriptions, id)
		}
		return nil
	}
	return f.complain("the server takes no such message, want a subscribe or an unsubscribe")
}

// update takes an update of the run and sends what has been subscribed.
func (f *foxglove) update(data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.decoder.Frame()
	if err := f.decoder.Update(data); err != nil {
		return err
	}
	frame := f.decoder.Frame()
	begun := func(world int) bool { // whether the scene of the world is new
		return f.frames == 1 || f.shaped && frame.GetWorlds()[world].GetEpisode() != before.GetWorlds()[world].GetEpisode()
	}
	if frame == before || len(frame.GetWorlds()) == 0 {
		return nil
	}
	f.frames++
	w := frame.GetWorlds()[0]
	if f.frames > 1 && w.GetEpisode() != f.episode { // the time of a viewer goes on
		f.from = f.ns
	}
	f.episode, f.ns = w.GetEpisode(), f.from+w.GetNs()
	if err := f.send(websocket.MessageBinary, binary.LittleEndian.AppendUint64([]byte{2}, uint64(f.ns))); err != nil {
		return err
	}
	for id, channel := range f.subscriptions {
		c := &f.channels[channel-1]
		if c.SchemaName == "foxglove.SceneUpdate" && !begun(c.world) {
			continue // it was sent as it was subscribed
		}
		if err := f.message(id, c); err != nil {
			return err
		}
	}
	return nil
}

// message sends the newest message of a channel. The lock is held.
func (f *foxglove) message(id uint32, c *foxChannel) error {
	data, err := json.Marshal(c.message())
	if err != nil {
		return errors.Join(err)
	}
	head := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32([]byte{1}, id), uint64(f.ns))
	return f.send(websocket.MessageBinary, append(head, data...))
}

type (
	foxTime struct {
		Sec  int64 `json:"sec"`
		Nsec int64 `json:"nsec"`
	}
	foxVector struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
		Z float64 `json:"z"`
	}
	foxQuaternion struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
		Z float64 `json:"z"`
		W float64 `json:"w"`
	}
	foxPose struct {
		Position    foxVector     `json:"position"`
		Orientation foxQuaternion `json:"orientation"`
	}
	foxTransform struct {
		Timestamp   foxTime       `json:"timestamp"`
		Parent      string        `json:"parent_frame_id"`
		Child       string        `json:"child_frame_id"`
		Translation foxVector     `json:"translation"`
		Rotation    foxQuaternion `json:"rotation"`
	}
)

func (f *foxglove) time() foxTime { return foxTime{f.ns / 1e9, f.ns % 1e9} }

// frameOf is the name of the frame of a body; -1 is the world.
func (f *foxglove) frameOf(prefix string, names []string, body int) string {
	if body < 0 || body >= len(names) {
		return strings.TrimPrefix(prefix+"/world", "/")
	}
	return strings.TrimPrefix(prefix+"/"+names[body], "/")
}

// transforms are the poses of the bodies of a world.
func (f *foxglove) transforms(prefix string, world, track int) any {
	d := f.decoder.Welcome.GetDescription()
	values, _ := f.decoder.Values(nil, world, track)
	size := int(d.GetTracks()[track].GetPoseSize())
	list := []foxTransform{}
	for i, b := range d.GetBodies() {
		t := foxTransform{Timestamp: f.time(), Parent: f.frameOf(prefix, nil, -1), Child: strings.TrimPrefix(prefix+"/"+b.GetName(), "/")}
		v := finite(values[i*size : (i+1)*size])
		if size == 7 {
			t.Translation, t.Rotation = foxVector{v[0], v[1], v[2]}, foxQuaternion{v[4], v[5], v[6], v[3]}
		} else { // in the plane of x and z
			t.Translation = foxVector{X: v[0], Z: v[1]}
			t.Rotation = foxQuaternion{Y: -math.Sin(v[2] / 2), W: math.Cos(v[2] / 2)}
		}
		list = append(list, t)
	}
	return map[string]any{"transforms": list}
}

// finite replaces what JSON does not have by 0.
func finite(values []float64) []float64 {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			values[i] = 0
		}
	}
	return values
}

// channel is a sensor channel of a world. Values that are not finite are null.
func (f *foxglove) channel(world, track int) any {
	values, stamp := f.decoder.Values(nil, world, track)
	list := make([]any, len(values))
	for i, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			list[i] = v
		}
	}
	return map[string]any{"values": list, "timestamp_ns": stamp}
}

// state is what a world has besides.
func (f *foxglove) state(world int) any {
	frame := f.decoder.Frame()
	w := frame.GetWorlds()[world]
	reward := float64(w.GetReward())
	return map[string]any{
		"n": frame.GetN(), "episode": w.GetEpisode(), "ns": w.GetNs(), "reward": finite([]float64{reward})[0],
		"terminated": w.GetTerminated(), "truncated": w.GetTruncated(), "paused": frame.GetPaused(),
	}
}

// The parts of the schemas that Foxglove needs to know the fields; a schema is known by its
// name.
const (
	vectorSchema     = `{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}}`
	quaternionSchema = `{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}}}`
	timeSchema       = `{"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}`
	colorSchema      = `{"type":"object","properties":{"r":{"type":"number"},"g":{"type":"number"},"b":{"type":"number"},"a":{"type":"number"}}}`
	poseSchema       = `{"type":"object","properties":{"position":` + vectorSchema + `,"orientation":` + quaternionSchema + `}}`

	transformsSchema = `{"title":"foxglove.FrameTransforms","type":"object","properties":{"transforms":{"type":"array","items":{"type":"object","properties":{` +
		`"timestamp":` + timeSchema + `,"parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":` + vectorSchema + `,"rotation":` + quaternionSchema + `}}}}}`
	primitive   = `{"type":"array","items":{"type":"object","properties":{"pose":` + poseSchema + `,"color":` + colorSchema + `,`
	sceneSchema = `{"title":"foxglove.SceneUpdate","type":"object","properties":{"deletions":{"type":"array","items":{"type":"object","properties":{` +
		`"timestamp":` + timeSchema + `,"type":{"type":"integer"},"id":{"type":"string"}}}},` +
		`"entities":{"type":"array","items":{"type":"object","properties":{"timestamp":` + timeSchema + `,"frame_id":{"type":"string"},"id":{"type":"string"},` +
		`"lifetime":{"type":"object","title":"duration","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"frame_locked":{"type":"boolean"},` +
		`"metadata":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"string"}}}},` +
		`"cubes":` + primitive + `"size":` + vectorSchema + `}}},"spheres":` + primitive + `"size":` + vectorSchema + `}}},` +
		`"cylinders":` + primitive + `"size":` + vectorSchema + `,"bottom_scale":{"type":"number"},"top_scale":{"type":"number"}}}},` +
		`"triangles":` + primitive + `"points":{"type":"array","items":` + vectorSchema + `},"colors":{"type":"array","items":` + colorSchema + `},"indices":{"type":"array","items":{"type":"integer"}}}}}` +
		`}}}}}`
	channelSchema = `{"title":"polyrhythm.Channel","type":"object","properties":{"values":{"type":"array","items":{"type":"number"}},"timestamp_ns":{"type":"integer"}}}`
	stateSchema   = `{"title":"polyrhythm.State","type":"object","properties":{"n":{"type":"integer"},"episode":{"type":"integer"},"ns":{"type":"integer"},"reward":{"type":"number"},` +
		`"terminated":{"type":"boolean"},"truncated":{"type":"boolean"},"paused":{"type":"boolean"}}}`
)
