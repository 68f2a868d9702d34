package gymnasium_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// arguments draws a value for each argument of Gymnasium's constructors, one that makes a difference.
var arguments = map[string]func(r *rand.Rand) any{
	"forward_reward_weight": between(-2, 3),
	"ctrl_cost_weight":      between(0, 2),
	"contact_cost_weight":   between(0, 1e-3),
	"impact_cost_weight":    between(0, 1e-3),
	"uph_cost_weight":       between(0, 3),
	"reward_near_weight":    between(0, 3),
	"reward_dist_weight":    between(0, 3),
	"reward_control_weight": between(0, 3),
	"healthy_reward":        between(-3, 7),
	"reset_noise_scale":     between(0, 0.15),

	"contact_cost_range":  limits(between(0, 0.02), between(0.02, 0.5)),
	"impact_cost_range":   limits(between(0, 0.02), between(0.02, 0.5)),
	"contact_force_range": limits(between(-3, 0), between(0, 3)),
	"healthy_state_range": limits(between(-8, -2), between(2, 8)),
	"healthy_angle_range": limits(between(-0.15, -0.05), between(0.05, 0.15)),
	"healthy_z_range":     limits(between(0.3, 1.1), between(1.1, 1.5)),

	"main_body": func(r *rand.Rand) any {
		return []any{0, 2, 13, "front_left_leg", "aux_3", "torso"}[r.IntN(6)]
	},

	"terminate_when_unhealthy":                   either,
	"exclude_current_positions_from_observation": either,
	"include_cinert_in_observation":              either,
	"include_cvel_in_observation":                either,
	"include_qfrc_actuator_in_observation":       either,
	"include_cfrc_ext_in_observation":            either,

	"frame_skip": func(r *rand.Rand) any { return 1 + r.IntN(7) },
}

func either(r *rand.Rand) any { return r.IntN(2) == 0 }

func between(low, high float64) func(*rand.Rand) any {
	return func(r *rand.Rand) any { return low + (high-low)*r.Float64() }
}

// limits draws a lower and an upper one, now and then infinite.
func limits(low, high func(*rand.Rand) any) func(*rand.Rand) any {
	return func(r *rand.Rand) any {
		range_ := []any{low(r), high(r)}
		if i := r.IntN(6); i < 2 {
			range_[i] = math.Inf(2*i - 1)
		}
		return range_
	}
}

// models are files that other tasks or versions came with, by task.
var models = map[string][]string{
	"Hopper-v5":          {"walker2d.xml"},
	"HalfCheetah-v5":     {"walker2d_v5.xml"},
	"Humanoid-v5":        {"humanoidstandup.xml"},
	"HumanoidStandup-v5": {"humanoid.xml"},
	"Pusher-v5":          {"pusher.xml"},
	"Walker2d-v5":        {"walker2d.xml", "half_cheetah.xml"},
}

// argumentNames lists the arguments of a task in order.
func argumentNames(want trajectory) []string {
	var names []string
	for name := range want.Defaults {
		if name != "xml_file" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// The options are Gymnasium's arguments, with the same defaults; bounds and time limit are Gymnasium's.
func TestOptionsAreGymnasiums(t *testing.T) {
	var requests []request
	for _, p := range parityTasks {
		requests = append(requests, request{Task: p.Name, Arguments: map[string]any{}})
	}
	for i, want := range play(t, requests) {
		p := parityTasks[i]
		t.Run(p.Name, func(t *testing.T) {
			got := map[string]any{"xml_file": p.Model, "frame_skip": float64(p.Substeps)}
			for name, value := range p.options() {
				switch v := value.(type) {
				case [2]float64:
					value = []any{v[0], v[1]}
				case int:
					value = float64(v)
				}
				got[name] = value
			}
			for name, value := range want.Defaults {
				if list, ok := value.([]any); ok {
					for i := range list {
						list[i], _ = strconv.ParseFloat(list[i].(string), 64)
					}
				}
				if !reflect.DeepEqual(got[name], value) {
					t.Errorf("default of %s is %v, want %v", name, got[name], value)
				}
			}
			for name := range got {
				if _, ok := want.Defaults[name]; !ok {
					t.Errorf("option %s is none of Gymnasium's", name)
				}
			}
			run, _ := p.open(t, nil, 1, nil)
			spec := run.Spec()
			if spec.MaxSteps != want.MaxSteps {
				t.Errorf("time limit is %d steps, want %d", spec.MaxSteps, want.MaxSteps)
			}
			checkBounds(t, spec, want)
		})
	}
}

// checkBounds compares the bounds of actions, which Gymnasium has as float32s.
func checkBounds(t *testing.T, spec sim.Spec, want trajectory) {
	t.Helper()
	if len(want.Low) != spec.ActionSize || spec.ActionSize == 0 {
		t.Fatalf("actions have %d values, want %d", spec.ActionSize, len(want.Low))
	}
	for i := range want.Low {
		if float64(float32(spec.ActionLow[i])) != want.Low[i] || float64(float32(spec.ActionHigh[i])) != want.High[i] {
			t.Errorf("action %d is between %v and %v, want %v and %v", i, spec.ActionLow[i], spec.ActionHigh[i], want.Low[i],
				want.High[i])
		}
	}
}

// altered is a copy of a model with another timestep and some boxes on the ground,
// so that there are more bodies and more contacts.
func altered(t *testing.T, file string) string {
	data := polytest.Must(os.ReadFile(filepath.Join("../../third_party/gymnasium/assets", file)))(t)
	var boxes strings.Builder
	for i := range 24 {
		fmt.Fprintf(&boxes, `<body name="box%d" pos="%v %v 0"><geom type="box" size="0.2 0.2 0.05" mass="%v"/></body>`,
			i, 0.5*float64(i%6)-1.25, 0.5*float64(i/6)-0.75, 0.1*float64(i+1))
	}
	text := strings.Replace(string(data), "</worldbody>", boxes.String()+"</worldbody>", 1)
	old := text[strings.Index(text, `timestep="`)+len(`timestep="`):]
	old = old[:strings.IndexByte(old, '"')]
	seconds := polytest.Must(strconv.ParseFloat(old, 64))(t)
	text = strings.Replace(text, `timestep="`+old, fmt.Sprintf(`timestep="%.5g`, 0.7*seconds), 1)
	path := filepath.Join(t.TempDir(), file)
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

var limited = regexp.MustCompile(` ctrllimited="[a-z]*"`)

// Gymnasium bounds actions by a motor's range, also where the engine does not clamp to it.
func TestUnlimitedMotorsHaveGymnasiumsBounds(t *testing.T) {
	var requests []request
	for _, p := range parityTasks {
		data := polytest.Must(os.ReadFile(filepath.Join("../../third_party/gymnasium/assets", p.Model)))(t)
		text := limited.ReplaceAllString(string(data), "")
		path := filepath.Join(t.TempDir(), p.Model)
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "<motor ", `<motor ctrllimited="false" `)),
			0o666); err != nil {
			t.Fatal(err)
		}
		requests = append(requests, request{Task: p.Name, Steps: 20, Arguments: map[string]any{"xml_file": path}})
	}
	for i, want := range play(t, requests) {
		p := parityTasks[i]
		t.Run(p.Name, func(t *testing.T) {
			run, model := p.open(t, requests[i].Arguments, 1, nil)
			if low, high := model.ControlRange(0); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
				t.Errorf("the engine clamps to %v and %v; want a model where it does not", low, high)
			}
			checkBounds(t, run.Spec(), want)
			p.compare(t, requests[i].Arguments, []trajectory{want})
		})
	}
}

// TestDrawnOptionsAreGymnasiums draws all arguments at once, and changes models.
func TestDrawnOptionsAreGymnasiums(t *testing.T) {
	const draws, steps = 6, 100
	for k, p := range parityTasks {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			names := argumentNames(play(t, []request{{Task: p.Name, Arguments: map[string]any{}}})[0])
			r := rand.New(rand.NewPCG(3, uint64(k)))
			var requests []request
			ask := func(arguments map[string]any) {
				requests = append(requests, request{
					Task: p.Name, Seed: 100 + len(requests), Steps: steps, Arguments: arguments,
				})
			}
			undrawn := slices.Clone(names) // each at least once
			for i := 0; i < draws || len(undrawn) > 0; i++ {
				drawn := map[string]any{}
				for _, name := range names {
					if r.IntN(4) > 0 {
						drawn[name] = arguments[name](r)
					}
				}
				undrawn = slices.DeleteFunc(undrawn, func(name string) bool { return drawn[name] != nil })
				ask(drawn)
			}
			for _, file := range append(models[p.Name], altered(t, p.Model)) {
				ask(map[string]any{"xml_file": file})
			}
			for i, want := range play(t, requests) {
				if p.compare(t, requests[i].Arguments, []trajectory{want}); t.Failed() {
					t.Fatalf("with %v", requests[i].Arguments)
				}
			}
		})
	}
}
