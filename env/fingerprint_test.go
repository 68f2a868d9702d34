package env

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A snapshot is refused by a run whose configuration differs in anything that decides the
// future, and by no other. Every key of a configuration is one or the other.
func TestSnapshotFitsTheConfigurationLong(t *testing.T) {
	polytest.OnlySlow(t)
	base := []string{
		"worlds=2", "max_steps=50",
		"sensors.gyro.bias={std: 0.1, walk: 0.1}", "sensors.gyro.noise.std=0.1", "sensors.gyro.saturation={low: -9, high: 9}",
		"sensors.gyro.quantisation=0.1", "sensors.gyro.hold={time: 10ms, probability: 0.5}", "sensors.gyro.dropout=0.1",
		"sensors.gyro.latency=4ms", "sensors.gyro.jitter=1ms", "sensors.gyro.history=1", "sensors.gyro.frame=imu",
		"bindings.recorder.priority=100", "bindings.physics.substeps=10",
		"changes=[{n: 5, edits: [{set_rate: {name: Capture, rate: 25}}]}]",
		"recording.channels=[gyro]", "recording.episodes={min_return: 0, max_return: 1}",
		"commands.velocity.lin_vel_x=[0.5, 0.6]",
	}
	// The value is another one than the base's; the keys of all other channels and runners are like those of these.
	decide := []string{
		"commands.velocity.lin_vel_x=[0.5, 0.7]", "scene.models=[{file: %MODEL%}]",
		"start.keyframe=", "episode=10s", "actions.joint_position.scale=0.3", "observations.policy.gyro.scale=0.5",
		"rewards.alive.weight=1", "rewards.alive.expr='2'", "terminations.bad_orientation.limit=0.7",
		"events.reset_joints_by_offset.position_range=[0, 0.1]",
		"infos.yaw_rate.expr=heading", "scale_rewards_by_dt=true", "scene.floor=true", "scene.light=true",
		"seed=9", "worlds=3", "max_steps=51", "autoreset=next_step",
		"runners.Capture.rate=29", "runners.Capture.enabled=false", "bindings.physics.substeps=20",
		"bindings.physics.priority=1",
		"bindings.gyro.phase=Control", "bindings.gyro.enabled=false", "bindings.gyro.runner=Robot",
		"changes=[{n: 6, edits: [{set_rate: {name: Capture, rate: 25}}]}]",
		"changes=[{n: 5, edits: [{set_rate: {name: Capture, rate: 24}}]}]",
		"sensors.gyro.runner=Robot", "sensors.gyro.sources=[sensor/imu_accel]", "sensors.gyro.enabled=false",
		"sensors.gyro.bias.std=0.2", "sensors.gyro.bias.walk=0.2", "sensors.gyro.noise.std=0.2",
		"sensors.gyro.saturation.low=-8",
		"sensors.gyro.saturation.high=8", "sensors.gyro.quantisation=0.2", "sensors.gyro.hold.time=11ms",
		"sensors.gyro.hold.probability=0.4",
		"sensors.gyro.dropout=0.2", "sensors.gyro.latency=5ms", "sensors.gyro.jitter=2ms",
	}
	decideNothing := []string{
		"scene.allow_outside=true", "scene.memory_mb=999",
		"workers=3", "block_size=1", "bindings.recorder.priority=101", "bindings.recorder.phase=Acquisition",
		"bindings.recorder.runner=Robot",
		"sensors.gyro.unit=deg/s", "sensors.gyro.frame=body",
		"time.mode=sim_realtime", "time.max_elapsed=1s", "time.max_backlog=1s", "time.max_steps=9", "time.budget=1s",
		"recording.enabled=false", "recording.tables=[capture, control]", "recording.channels=[orientation]",
		"recording.every_world=2",
		"recording.episodes.min_return=-1", "recording.episodes.max_return=2", "recording.batch_rows=9",
		"recording.flush_segments=9",
		"recording.memory_mb=9", "recording.compression=lz4", "recording.sync=none",
		"training.steps=9", "training.segment=9", "training.epochs=9", "training.minibatch=9", "training.learning_rate=0.1",
		"training.schedule=constant",
		"training.gamma=0.9", "training.lambda=0.9", "training.clip=0.9", "training.clip_value=false",
		"training.value_weight=0.9", "training.entropy=0.9",
		"training.max_grad_norm=0.9", "training.target_kl=0.9", "training.hidden=[9]", "training.initial_std=0.9",
		"training.normalise_observations=false",
		"training.normalise_advantages=false", "training.scale_rewards=false", "training.checkpoint_every=9",
		"evaluation.episodes=9", "evaluation.every=9",
	}
	// Other observations have another size, which the task refuses.
	known := map[string]bool{"task.name": true, "sensors.gyro.history": true, "observations.policy.gyro.term": true,
		"observations.policy.gyro.channel": true}
	e := open(t, preset(t, "quadruped", base...), OpenOptions{Workers: 1})
	snapshot := e.Sim().Snapshot()
	scene := polytest.Must(configs.Models.ReadFile("quadruped.xml"))(t)
	model := filepath.Join(t.TempDir(), "dog.xml")
	polytest.NoError(t, os.WriteFile(model, bytes.Replace(scene, []byte("</mujoco>"),
		[]byte(`<option gravity="0 0 -9.7"/></mujoco>`), 1), 0o666))
	for _, c := range []struct {
		sets    []string
		decides bool
	}{{decide, true}, {decideNothing, false}} {
		for _, set := range c.sets {
			key, _, _ := strings.Cut(set, "=")
			known[key] = true
			cfg := preset(t, "quadruped", append(slices.Clone(base), strings.ReplaceAll(set, "%MODEL%", model))...)
			other := open(t, cfg, OpenOptions{Workers: 1})
			err := other.Sim().Restore(snapshot)
			if refused := err != nil && strings.Contains(err.Error(), "does not fit"); refused != c.decides {
				t.Errorf("%s: the snapshot is refused: %t (%v), want %t", set, refused, err, c.decides)
			}
			if err := other.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, key := range keysOf(t, preset(t, "quadruped", base...)) {
		if !known[key] {
			t.Errorf("%s: does it decide what a snapshot leads to? Say so in this test", key)
		}
	}
}

// keysOf lists the keys of a configuration as --set has them, those of one entry of a list for all of its kind.
func keysOf(t *testing.T, c *configs.Config) []string {
	t.Helper()
	var tree map[string]any
	polytest.NoError(t, yaml.Unmarshal(c.YAML(), &tree))
	ofAll := []string{"gyro", "Capture", "recorder", "physics", "alive", "bad_orientation", "reset_joints_by_offset",
		"yaw_rate"}
	var keys []string
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, value := range v {
				walk(path+"."+key, value)
			}
			return
		case []any:
			for _, item := range v {
				entry, ok := item.(map[string]any)
				head := "name"
				if ok && entry[head] == nil {
					head = "term"
				}
				if ok && entry[head] != nil {
					name := fmt.Sprint(entry[head])
					if slices.Contains(ofAll, name) {
						delete(entry, head)
						walk(path+"."+name, entry)
					}
				} else if len(keys) == 0 || keys[len(keys)-1] != path[1:] {
					keys = append(keys, path[1:])
				}
			}
			return
		}
		keys = append(keys, path[1:])
	}
	walk("", tree)
	slices.Sort(keys)
	return keys
}
