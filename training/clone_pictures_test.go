package training

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/ffmpeg"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/demonstrations"
	"github.com/polyrhythm-rl/polyrhythm/recorder/export"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// LeRobot's images, and its videos without loss, are what the dataset of which they are an export has: colours and labels to
// the last bit, depths to a millimetre, the rest as float32. Colours are scaled to the camera of the task.
func TestCloningFromPicturesOfLeRobot(t *testing.T) {
	home := t.TempDir()
	program := filepath.Join(home, "ffmpeg") // keeps frames as they are
	noError(t, os.WriteFile(program, []byte(`#!/bin/sh
for last; do [ "$before" = -i ] && file=$last; before=$last; done
if [ "$last" = pipe:1 ]; then cat "$file"; else cat > "$last"; fi
`), 0o777))
	t.Setenv(ffmpeg.Variable, program)

	sees := func(camera string) []string {
		return []string{"worlds=6", "block_size=2", "max_steps=20",
			"sensors=[{name: above, runner: Robot, camera: {name: above, " + camera + "}}]",
			"observations={policy: [{term: joint_pos_rel, joints: ['head_.*']}, {term: sensor, channel: above, scale: 2}], " +
				"critic: [{name: part, expr: 'body.part.position[:2]'}]}"}
	}
	gantry := func(sets ...string) *configs.Config {
		return must(configs.Load("../configs/described/gantry.yaml", sets, nil))(t)
	}
	all := sees("width: 8, height: 6, kinds: [rgb, depth, segmentation], max_distance: 0.9")
	dataset := filepath.Join(home, "data")
	must(rollouts.Rollout(t.Context(), gantry(append(all, "recording.enabled=true",
		"recording.tables=[capture, control]")...), rollouts.RolloutOptions{Policy: must(policies.Open(policies.Random))(t),
		Episodes: 12, Folder: dataset}))(t)

	lerobot := func(name string, opt export.Options) string {
		out := filepath.Join(home, name)
		must(export.Export(t.Context(), must(recorder.Open(dataset))(t), must(export.FormatOf("lerobot"))(t), out, opt))(t)
		return out
	}
	read := func(folder string, sets []string) (*recording, sim.Spec, error) {
		config := gantry(sets...)
		e := must(env.Open(config, env.OpenOptions{}))(t)
		defer e.Close()
		spec, d := e.Sim().Spec(), must(demonstrations.Open(folder))(t)
		if _, err := newSight(d, spec); err != nil {
			return nil, spec, err
		}
		rows, _, _, err := readRecording(t.Context(), d, spec, rl.AlgorithmClone)
		if err != nil {
			return nil, spec, err
		}
		first := func(episode []int32) float64 { return rows.observed[int(episode[0])*rows.size] }
		slices.SortFunc(rows.episodes, func(a, b []int32) int { return cmp.Compare(first(a), first(b)) })
		observed := make([]float64, 0, len(rows.observed)) // one episode after the other, in an order that all have
		for _, i := range slices.Concat(rows.episodes...) {
			observed = append(observed, rows.observed[int(i)*rows.size:][:rows.size]...)
		}
		rows.observed = observed
		return rows, spec, nil
	}
	want, spec, err := read(dataset, all)
	noError(t, err)
	images, videos := lerobot("images", export.Options{}), lerobot("videos", export.Options{Video: true})
	if p := must(demonstrations.Open(videos))(t).Pictures; len(p) != 3 || !p[1].Video || p[0].Video {
		t.Fatalf("the pictures are %+v", p)
	}
	const rest, channels = 2, 5 // values before the picture, of a pixel
	if p := spec.Pictures[0]; p.First != rest || p.Channels != channels {
		t.Fatalf("the picture is %+v", p)
	}
	for _, folder := range []string{images, videos} {
		got, _, err := read(folder, all)
		noError(t, err)
		polytest.Equal(t, got.Len(), want.Len(), "rows")
		for i, w := range want.observed {
			at := i%spec.ObservationSize - rest
			within := 0.0
			switch {
			case at < 0 || at >= spec.Pictures[0].Size():
				within = math.Abs(w) * 0x1p-24
			case at%channels == 3:
				within = 2 * 0.0005 * 1.0001
			}
			if d := math.Abs(got.observed[i] - w); !(d <= within) {
				t.Fatalf("%s: value %d of row %d is %v, want %v", folder, i%spec.ObservationSize, i/spec.ObservationSize,
					got.observed[i], w)
			}
		}
	}

	half := sees("width: 4, height: 3, kinds: [rgb]")
	for _, folder := range []string{images, videos} {
		got, small, err := read(folder, half)
		noError(t, err)
		size, n, sum := small.ObservationSize, 0, 0.0
		for row := range got.Len() {
			for p := range 4 * 3 * 3 {
				x, y, c, mean := p/3%4, p/12, p%3, 0.0
				for k := range 4 {
					mean += want.observed[row*spec.ObservationSize+rest+((2*y+k/2)*8+2*x+k%2)*channels+c] / 4
				}
				d := math.Abs(got.observed[row*size+rest+p] - mean)
				if sum, n = sum+d, n+1; d > 0.4 {
					t.Fatalf("row %d, colour %d is %v off, of 2", row, p, d)
				}
			}
		}
		if mean := sum / float64(n); mean > 0.04 {
			t.Errorf("scaled colours are %.3f off, of 2", mean)
		}
	}

	for _, c := range []struct {
		camera, want string
	}{
		{"width: 6, height: 6, kinds: [rgb]", "is 6 × 8 × 3, want the shape of 6 × 6 × 3"},
		{"width: 4, height: 3, kinds: [depth]", "observation.images.above_depth is 6 × 8 × 1, want 3 × 4 × 1"},
		{"width: 8, height: 6, kinds: [normals]", "it has no observed value"},
	} {
		_, _, err := read(images, sees(c.camera))
		polytest.ErrorContains(t, err, c.want)
	}
	film := filepath.Join(videos, "videos/observation.images.above_rgb/chunk-000/file-000.mp4")
	frames := must(os.ReadFile(film))(t)
	for text, bytes := range map[string][]byte{"fewer frames than": frames[:len(frames)-8*6*3], "unexpected EOF": frames[:1000],
		"more frames than": append(frames, frames[:8*6*3]...)} {
		noError(t, os.WriteFile(film, bytes, 0o666))
		_, _, err = read(videos, all)
		polytest.ErrorContains(t, err, "observation.images.above_rgb: ")
		polytest.ErrorContains(t, err, text)
	}
	noError(t, os.WriteFile(film, frames[:len(frames)-8*6*3], 0o666))
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, _, err = readRecording(stopped, must(demonstrations.Open(videos))(t), spec, rl.AlgorithmClone)
	polytest.ErrorIs(t, err, context.Canceled)
}
