package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// mcapCamera is a camera whose pictures a table has: messages of its calibration, and of where it is.
type mcapCamera struct {
	*format.Calibration
	frame                         string // frame_id of its pictures
	pose, poseStamp, intrinsics   int    // columns of the table; −1: none
	calibrationID, transformation uint16 // channels; 0: none
}

// frameOf returns the frame_id of pictures: the name of their camera where it is known.
func frameOf(c *format.Column) string {
	if c.Camera == nil {
		return c.Name
	}
	return strings.TrimSuffix(strings.TrimSuffix(c.Camera.Pose, "pose"), "_")
}

// camerasOf returns the cameras of the pictures of a table, each once.
func camerasOf(t *format.Table) (cameras []mcapCamera) {
	for i := range t.Columns {
		k := t.Columns[i].Camera
		if k == nil || slices.ContainsFunc(cameras, func(c mcapCamera) bool { return c.Pose == k.Pose }) {
			continue
		}
		cameras = append(cameras, mcapCamera{Calibration: k, frame: frameOf(&t.Columns[i]), pose: t.Column(k.Pose),
			poseStamp: t.Column(k.Pose + "_stamp_ns"), intrinsics: t.Column(k.Intrinsics)})
	}
	return cameras
}

const (
	// schemaTime is the schema of a time in Foxglove's messages.
	schemaTime = `{"type": "object", "title": "time", "properties": {"sec": {"type": "integer", "minimum": 0}, ` +
		`"nsec": {"type": "integer", "minimum": 0, "maximum": 999999999}}}`

	// cameraCalibration and frameTransform are Foxglove's schemas of the same names, in JSON.
	cameraCalibration = `{"title": "foxglove.CameraCalibration", "type": "object", "properties": {"timestamp": ` +
		schemaTime + `, "frame_id": {"type": "string"}, "width": {"type": "integer", "minimum": 0}, "height": {"type": ` +
		`"integer", "minimum": 0}, "distortion_model": {"type": "string"}, "D": {"type": "array", "items": {"type": ` +
		`"number"}}, "K": {"type": "array", "items": {"type": "number"}, "minItems": 9, "maxItems": 9}, "R": {"type": ` +
		`"array", "items": {"type": "number"}, "minItems": 9, "maxItems": 9}, "P": {"type": "array", "items": {"type": ` +
		`"number"}, "minItems": 12, "maxItems": 12}}}`
	frameTransform = `{"title": "foxglove.FrameTransform", "type": "object", "properties": {"timestamp": ` + schemaTime +
		`, "parent_frame_id": {"type": "string"}, "child_frame_id": {"type": "string"}, "translation": {"type": ` +
		`"object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}, "z": {"type": "number"}}}, ` +
		`"rotation": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}, "z": {"type": ` +
		`"number"}, "w": {"type": "number"}}}}}`
)

// writeCameraChannels writes a channel of calibrations, /TABLE/CAMERA_calibration, for each camera, and one of where
// they all are, /tf. Foxglove's calibration is one in perspective, so orthographic cameras have none. Their numbers, and those of their schemas, follow that of the last channel.
func (w *mcapWriter) writeCameraChannels(out *mcap.Writer, last uint16) error {
	schemas := []*mcap.Schema{
		{ID: last + 1, Name: "foxglove.CameraCalibration", Encoding: "jsonschema", Data: []byte(cameraCalibration)},
		{ID: last + 2, Name: "foxglove.FrameTransform", Encoding: "jsonschema", Data: []byte(frameTransform)},
	}
	transformation, written := last+1, false
	last++
	for i := range w.channels {
		c := &w.channels[i]
		for k := range c.cameras {
			if !written {
				written = true
				for _, s := range schemas {
					if err := out.WriteSchema(s); err != nil {
						return err
					}
				}
				if err := out.WriteChannel(&mcap.Channel{ID: transformation, SchemaID: schemas[1].ID,
					MessageEncoding: "json", Topic: "/tf"}); err != nil {
					return err
				}
			}
			c.cameras[k].transformation = transformation
			if c.cameras[k].Projection != "" {
				continue
			}
			last++
			c.cameras[k].calibrationID = last
			if err := out.WriteChannel(&mcap.Channel{ID: last, SchemaID: schemas[0].ID, MessageEncoding: "json",
				Topic: "/" + c.layout.Name + "/" + c.cameras[k].frame + "_calibration"}); err != nil {
				return err
			}
		}
	}
	return nil
}

// camera writes the calibration and the place of a camera in a row, at the time of its picture.
func (w *mcapWriter) camera(out *mcap.Writer, c *mcapChannel, k *mcapCamera, row []byte, message *mcap.Message) error {
	ns, ok := c.stamp(row, k.pose, k.poseStamp)
	if !ok {
		return nil
	}
	intrinsics := []float64{k.FX, k.FY, k.CX, k.CY}
	if k.intrinsics >= 0 {
		intrinsics = c.layout.Floats(row, k.intrinsics)
	}
	fx, fy, cx, cy := intrinsics[0], intrinsics[1], intrinsics[2], intrinsics[3]
	pose, distortion := c.layout.Floats(row, k.pose), k.Distortion
	if distortion == nil {
		distortion = make([]float64, 5)
	}
	for _, m := range []struct {
		channel uint16
		content map[string]any
	}{
		{k.calibrationID, map[string]any{
			"timestamp": timeOf(ns), "frame_id": k.frame, "width": k.Width, "height": k.Height,
			"distortion_model": "plumb_bob", "D": distortion,
			"K": []float64{fx, 0, cx, 0, fy, cy, 0, 0, 1}, "R": []float64{1, 0, 0, 0, 1, 0, 0, 0, 1},
			"P": []float64{fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0},
		}},
		{k.transformation, map[string]any{
			"timestamp": timeOf(ns), "parent_frame_id": "world", "child_frame_id": k.frame,
			"translation": map[string]float64{"x": pose[0], "y": pose[1], "z": pose[2]},
			"rotation":    map[string]float64{"w": pose[3], "x": pose[4], "y": pose[5], "z": pose[6]},
		}},
	} {
		if m.channel == 0 {
			continue
		}
		data, err := json.Marshal(m.content)
		if err != nil { // a number is none
			return fmt.Errorf("mcap: camera %q at %d ns in table %q: %w", k.frame, ns, c.layout.Name, err)
		}
		if err := out.WriteMessage(&mcap.Message{ChannelID: m.channel, Sequence: message.Sequence,
			LogTime: message.LogTime, PublishTime: message.PublishTime, Data: data}); err != nil {
			return err
		}
	}
	return nil
}

func timeOf(ns int64) map[string]int64 { return map[string]int64{"sec": ns / 1e9, "nsec": ns % 1e9} }

// stamp returns the time of a column in a row: that of its stamp, −1 for none, or of the row; not ok where it has no
// value yet.
func (c *mcapChannel) stamp(row []byte, column, stamp int) (ns int64, ok bool) {
	if c.layout.IsNull(row, column) || stamp >= 0 && c.layout.IsNull(row, stamp) {
		return 0, false
	}
	if stamp >= 0 {
		return c.layout.Int(row, stamp), true
	}
	return c.layout.Int(row, c.timeColumn), true
}
