package transport

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// FoxglovePath is where a run is served by Foxglove's WebSocket protocol, for Foxglove and
// Lichtblick: https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md.
const FoxglovePath = "/foxglove"

const maxSubscriptions = 1000 // subscriptions of a client

// foxglove serves one client, which only watches. A token comes as "Authorization: Bearer
// TOKEN" or, from a browser, as ?token=TOKEN.
func (w *Web) foxglove(rw http.ResponseWriter, r *http.Request) {
	secret := bearer(r.Header.Get("Authorization"))
	if secret == "" {
		secret = r.URL.Query().Get("token")
	}
	if !w.gate.authorize(rw, r, secret) {
		return
	}
	conn := accept(rw, r, "foxglove.sdk.v1", "foxglove.websocket.v1")
	if conn == nil {
		return
	}
	defer conn.CloseNow()
	if conn.Subprotocol() == "" {
		conn.Close(websocket.StatusPolicyViolation, "want the subprotocol foxglove.websocket.v1 or foxglove.sdk.v1")
		return
	}
	f := newFoxglove(w.run, func(kind websocket.MessageType, data []byte) error {
		ctx, cancel := context.WithTimeout(context.Background(), sendWithin) // also while the run is paused
		defer cancel()
		return conn.Write(ctx, kind, data)
	})
	if f.greet() != nil {
		return
	}
	c, err := w.run.Join(live.JoinOptions{
		Name: "foxglove", Role: live.Watch, Origin: origin(r.RemoteAddr).String(),
	})
	if err != nil {
		conn.Close(websocket.StatusTryAgainLater, reason(err))
		return
	}
	w.follow(conn, c, func(ctx context.Context) {
		for {
			kind, data, err := conn.Read(ctx)
			if err != nil || f.handle(kind, data) != nil {
				return
			}
		}
	}, f.update)
}

// foxglove is what a client of the protocol is told.
type foxglove struct {
	send         func(websocket.MessageType, []byte) error
	task         string
	channels     []foxChannel
	shapesGround bool // episodes shape the ground

	mu            sync.Mutex
	decoder       wire.Decoder
	subscriptions map[uint32]uint32 // channel by id
	ns, start     int64             // times of the newest frame and of the start of the episode of world 0
}

type foxChannel struct {
	ID             uint32 `json:"id"`
	Topic          string `json:"topic"`
	Encoding       string `json:"encoding"`
	SchemaName     string `json:"schemaName"`
	SchemaEncoding string `json:"schemaEncoding"`
	Schema         string `json:"schema"`

	message func() any
	world   int
	picture *foxPicture // nil: the channel has no pictures
}

// foxPicture is which picture of a channel is the newest.
type foxPicture struct {
	track       int
	episode, ns int64 // ns is below 0 where there is no picture yet
	fresh       bool  // the picture came with the newest frame
}

func newFoxglove(run *live.Server, send func(websocket.MessageType, []byte) error) *foxglove {
	d := run.Description()
	ground, _ := run.Ground(0)
	f := &foxglove{send: send, task: d.GetTask(), shapesGround: len(ground) > 0, subscriptions: map[uint32]uint32{}}
	for w := range int(d.GetWorlds()) {
		topic := ""
		if d.GetWorlds() > 1 {
			topic = fmt.Sprintf("/world%d", w)
		}
		for t, track := range d.GetTracks() {
			if track.GetName() == "poses" {
				addChannel(f, w, topic+"/tf", "foxglove.FrameTransforms", func() foxTransforms {
					return f.transforms(topic, w, t)
				})
				addChannel(f, w, topic+"/scene", "foxglove.SceneUpdate", f.scene(topic, w, run))
				continue
			}
			if p := track.GetPicture(); p != nil {
				for k, kind := range p.GetKinds() {
					name := track.GetName() + "_" + kind
					addChannel(f, w, topic+"/"+name, "foxglove.CompressedImage",
						f.image(w, t, track, k, run.Far(track.GetName())))
					f.channels[len(f.channels)-1].picture = &foxPicture{track: t}
				}
				continue
			}
			addChannel(f, w, topic+"/"+track.GetName(), "polyrhythm.Channel", func() foxValues {
				return f.channel(w, t)
			})
		}
		addChannel(f, w, topic+"/state", "polyrhythm.State", func() foxState { return f.state(w) })
	}
	return f
}

// addChannel adds a channel of a world whose messages are JSON of a type.
func addChannel[T any](f *foxglove, world int, topic, schema string, message func() T) {
	s := schemaOf(reflect.TypeFor[T]())
	s["title"] = schema
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // cannot happen: plain data
	}
	f.channels = append(f.channels, foxChannel{
		ID: uint32(len(f.channels)) + 1, Topic: topic, Encoding: "json", SchemaName: schema,
		SchemaEncoding: "jsonschema", Schema: string(text), message: func() any { return message() }, world: world,
	})
}

// schemaOf is the JSON schema of a type of messages.
func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "contentEncoding": "base64"}
		}
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Struct:
		fields := map[string]any{}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields[name] = schemaOf(f.Type)
		}
		s := map[string]any{"type": "object", "properties": fields}
		if t == reflect.TypeFor[foxTime]() {
			s["title"] = "time"
		}
		return s
	}
	name := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Float32: "number", reflect.Float64: "number",
	}[t.Kind()]
	return map[string]any{"type": cmp.Or(name, "integer")}
}

func (f *foxglove) greet() error {
	err := f.text(map[string]any{
		"op": "serverInfo", "name": "polyrhythm " + f.task, "capabilities": []string{"time"},
		"metadata": map[string]string{},
	})
	if err != nil {
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

// handle takes a message of the client. An error ends the connection.
func (f *foxglove) handle(kind websocket.MessageType, data []byte) error {
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
				return f.complain(fmt.Sprintf("subscription %d of channel %d is not possible, want a new one of a "+
					"channel from 1 to %d, at most %d", s.ID, s.Channel, len(f.channels), maxSubscriptions))
			}
			f.subscriptions[s.ID] = s.Channel
			if f.decoder.Frame() != nil { // a paused run has no next frame soon
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
	previous := f.decoder.Frame()
	if err := f.decoder.Update(data); err != nil {
		return err
	}
	frame := f.decoder.Frame()
	if frame == previous || len(frame.GetWorlds()) == 0 {
		return nil
	}
	started := func(world int) bool {
		return previous != nil && frame.GetWorlds()[world].GetEpisode() != previous.GetWorlds()[world].GetEpisode()
	}
	if started(0) { // the time of a viewer never goes back
		f.start = f.ns
	}
	f.ns = f.start + frame.GetWorlds()[0].GetNs()
	if err := f.send(websocket.MessageBinary, binary.LittleEndian.AppendUint64([]byte{2}, uint64(f.ns))); err != nil {
		return err
	}
	for i := range f.channels {
		c := &f.channels[i]
		if p := c.picture; p != nil {
			newest := foxPicture{p.track, frame.GetWorlds()[c.world].GetEpisode(), f.decoder.Stamp(c.world, p.track),
				true}
			newest.fresh = newest.episode != p.episode || newest.ns != p.ns || previous == nil
			*p = newest
		}
	}
	for id, channel := range f.subscriptions {
		c := &f.channels[channel-1]
		if c.picture != nil && !c.picture.fresh {
			continue
		}
		if previous != nil && c.SchemaName == "foxglove.SceneUpdate" && !(f.shapesGround && started(c.world)) {
			continue // it was sent at the subscription
		}
		if err := f.message(id, c); err != nil {
			return err
		}
	}
	return nil
}

// message sends the newest message of a channel. The lock is held.
func (f *foxglove) message(id uint32, c *foxChannel) error {
	if c.picture != nil && c.picture.ns < 0 {
		return nil
	}
	data, err := json.Marshal(c.message())
	if err != nil {
		return err
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
	foxTransforms struct {
		Transforms []foxTransform `json:"transforms"`
	}
	foxValues struct { // of a sensor channel
		Values    []*float64 `json:"values"` // null where one is not finite
		Timestamp int64      `json:"timestamp_ns"`
	}
	foxImage struct {
		Timestamp foxTime `json:"timestamp"`
		Frame     string  `json:"frame_id"`
		Data      []byte  `json:"data"`
		Format    string  `json:"format"`
	}
	foxState struct {
		N          int64   `json:"n"`
		Episode    int64   `json:"episode"`
		NS         int64   `json:"ns"`
		Reward     float64 `json:"reward"`
		Terminated bool    `json:"terminated"`
		Truncated  bool    `json:"truncated"`
		Paused     bool    `json:"paused"`
	}
)

func (f *foxglove) time() foxTime { return foxTime{f.ns / 1e9, f.ns % 1e9} }

func (f *foxglove) transforms(prefix string, world, track int) (all foxTransforms) {
	d := f.decoder.Welcome.GetDescription()
	values, _ := f.decoder.Values(nil, world, track)
	size := int(d.GetTracks()[track].GetPoseSize())
	for i, b := range d.GetBodies() {
		t := foxTransform{Timestamp: f.time(), Parent: frameOf(prefix, "world"), Child: frameOf(prefix, b.GetName())}
		v := values[i*size : (i+1)*size]
		for k := range v {
			v[k] = finite(v[k])
		}
		if size == 7 {
			t.Translation, t.Rotation = foxVector{v[0], v[1], v[2]}, foxQuaternion{v[4], v[5], v[6], v[3]}
		} else { // in the plane of x and z
			t.Translation = foxVector{X: v[0], Z: v[1]}
			t.Rotation = foxQuaternion{Y: -math.Sin(v[2] / 2), W: math.Cos(v[2] / 2)}
		}
		all.Transforms = append(all.Transforms, t)
	}
	return all
}

// frameOf is the name of the frame of a body, or of the world.
func frameOf(prefix, name string) string { return strings.TrimPrefix(prefix+"/"+name, "/") }

// finite is 0 in the place of what JSON does not have.
func finite(v float64) float64 {
	if v-v != 0 {
		return 0
	}
	return v
}

func (f *foxglove) channel(world, track int) foxValues {
	values, stamp := f.decoder.Values(nil, world, track)
	list := make([]*float64, len(values))
	for i, v := range values {
		if v-v == 0 {
			list[i] = &values[i]
		}
	}
	return foxValues{list, stamp}
}

// image returns what makes the messages of a kind of pictures of a track: PNG as datasets have them, with the time of
// the picture itself.
func (f *foxglove) image(world, track int, t *wire.Track, kind int, far float64) func() foxImage {
	p, offset, stride := t.GetPicture(), 0, 0
	for i, other := range p.GetKinds() {
		channels := format.PictureColumn("", other, 1, 1).Len
		if i < kind {
			offset += channels
		}
		stride += channels
	}
	pictureKind := p.GetKinds()[kind]
	name := strings.TrimPrefix(t.GetName(), "channel/") + "_" + pictureKind
	layout := format.NewLayout(&format.Table{Columns: []format.Column{format.PictureColumn(name, pictureKind,
		int(p.GetWidth()), int(p.GetHeight()))}})
	row := layout.Zeros()
	return func() foxImage {
		values, stamp := f.decoder.Values(nil, world, track)
		// far is rounded
		format.Pack(layout.Row(row).Pixels(0), pictureKind, values[offset:], stride, far-t.GetResolution()/2)
		ns := f.ns - f.decoder.Frame().GetWorlds()[world].GetNs() + stamp
		return foxImage{foxTime{ns / 1e9, ns % 1e9}, name, layout.PNG(row, 0), "png"}
	}
}

func (f *foxglove) state(world int) foxState {
	frame := f.decoder.Frame()
	w := frame.GetWorlds()[world]
	return foxState{
		frame.GetN(), w.GetEpisode(), w.GetNs(), finite(float64(w.GetReward())), w.GetTerminated(), w.GetTruncated(),
		frame.GetPaused(),
	}
}
