package mujoco

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// anyNetwork is a network with random weights that sees both quantities at the given times ago.
func anyNetwork(activation policy.Activation, hidden int, ages ...time.Duration) *policy.Network {
	r := rand.New(rand.NewPCG(7, uint64(hidden)))
	n := &policy.Network{
		Header: policy.Header{Task: "actuator", ActionNames: []string{scene.Torque}, Limit: 3, Activation: activation,
			Sizes: []int{2 * len(ages), hidden, hidden, 1}},
		Low: []float32{-3}, High: []float32{3.5},
	}
	for index := range scene.Quantities {
		for _, t := range ages {
			n.ObservationNames = append(n.ObservationNames, scene.QuantityName(index, t))
			n.Mean, n.Scale = append(n.Mean, 0.1*r.NormFloat64()), append(n.Scale, 1+r.Float64())
		}
	}
	for l, outputs := range n.Sizes[1:] {
		layer := policy.Layer{Weights: make([]float32, n.Sizes[l]*outputs), Biases: make([]float32, outputs)}
		for _, list := range [][]float32{layer.Weights, layer.Biases} {
			for i := range list {
				list[i] = float32(1.5 * r.NormFloat64() / math.Sqrt(float64(n.Sizes[l])))
			}
		}
		n.Layers = append(n.Layers, layer)
	}
	return n
}

func writeNetwork(t *testing.T, n *policy.Network) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "motor.policy")
	f := polytest.Must(os.Create(path))(t)
	polytest.NoError(t, n.Write(f))
	polytest.NoError(t, f.Close())
	return path
}

// The torque of a learned actuator is what package policy computes from what was at its joint, within its limits; it is
// the same from a copy of the state.
func TestLearnedActuators(t *testing.T) {
	const effort, rest, top = 3.2, 4, 3
	for name, test := range map[string]struct {
		network *policy.Network
		line    bool
		late    int
	}{
		"now alone":       {anyNetwork(policy.Tanh, 5, 0), false, 0},
		"three steps":     {anyNetwork(policy.ELU, 30, 0, 2*time.Millisecond, 4*time.Millisecond), false, 0},
		"far apart, late": {anyNetwork(policy.ReLU, 9, 0, 20*time.Millisecond), true, 3},
	} {
		t.Run(name, func(t *testing.T) {
			a := scene.Actuators{Type: scene.Learned, Network: writeNetwork(t, test.network), Effort: effort,
				Delay: time.Duration(test.late) * 2 * time.Millisecond}
			if test.line {
				a.SaturationEffort, a.VelocityLimit = rest, top
			}
			m, out := swung(t, a)
			own := stepper(t, m, 1, out)
			rows := physics.NewRows(m, 2, out, 4)
			position, _ := m.Field("qpos")
			rows.Row(0)[position.Offset] = 0.3
			step(t, own, rows, []int32{0}, nil)
			oracle := polytest.Must(policy.New(test.network))(t)
			var commands []float64
			seen := map[int][]float64{0: nil, 1: nil}
			bounded, least, most := 0, 0.0, 0.0
			for k := range 300 {
				commands = append(commands, math.Round(1.5*math.Sin(float64(k/40)*2)*1e3)/1e3)
				rows.Control(0)[0] = commands[k]
				if k == 200 { // another world goes on from its state
					copy(rows.Row(1), rows.Row(0))
					copy(rows.Control(1), rows.Control(0))
					step(t, own, rows, []int32{1}, []int32{1})
				}
				step(t, own, rows, []int32{0}, []int32{1})
				s := rows.Sample(0, int64(k))
				if k == 200 {
					polytest.EqualSlices(t, rows.Row(1), rows.Row(0), "state of a copy")
				}
				target := 0.3
				if k >= test.late {
					target = commands[k-test.late]
				}
				seen[0], seen[1] = append(seen[0], target-s[0]), append(seen[1], s[1])
				var observation []float64
				for _, name := range test.network.ObservationNames {
					index, age, err := scene.ParseQuantity(name)
					polytest.NoError(t, err)
					value := 0.0
					if back := int(age / (2 * time.Millisecond)); back <= k {
						value = seen[index][k-back]
					}
					observation = append(observation, value)
				}
				action := make([]float32, 1)
				oracle.Act(action, observation)
				demand := float64(action[0])
				want := max(-effort, min(effort, demand))
				if test.line {
					v := max(-top*(1+effort/4.0), min(top*(1+effort/4.0), s[1]))
					want = max(rest*(-1-v/top), -effort, min(rest*(1-v/top), effort, demand))
				}
				if want != demand {
					bounded++
				}
				least, most = min(least, want), max(most, want)
				if math.Abs(s[2]-want) > 1e-5 {
					t.Fatalf("the torque of step %d at %v, %v/s is %v, want %v, asked %v", k, s[0], s[1], s[2],
						want, demand)
				}
			}
			if most-least < 1 || test.line && bounded < 20 {
				t.Errorf("torques from %v to %v, %d bounded: the test shows little", least, most, bounded)
			}
			polytest.Equal(t, m.Describe().Actuators[0].Kind, KindLearned, "kind")
		})
	}
}

// The digest of a model has the numbers of its networks.
func TestLearnedActuatorsAreInTheDigest(t *testing.T) {
	n := anyNetwork(policy.Tanh, 5, 0)
	a := learnedFrom(writeNetwork(t, n))
	before, _ := swung(t, a)
	same, _ := swung(t, a)
	n.Layers[1].Weights[3] += 1e-3
	a.Network = writeNetwork(t, n)
	other, _ := swung(t, a)
	polytest.Equal(t, same.Digest(), before.Digest(), "digest")
	if other.Digest() == before.Digest() {
		t.Error("a network with another weight has the same digest")
	}
}

// A file that makes up the address of a network has none.
func TestMadeUpNetwork(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arm.xml")
	polytest.NoError(t, os.WriteFile(file, []byte(`<mujoco><worldbody><body><joint name="swing" axis="0 1 0"/>
		<geom size="0.05"/></body></worldbody><actuator><general joint="swing" biastype="user" dyntype="user" actdim="3"
		gainprm="0" forcerange="-1 1" biasprm="2 0 0 0 0 1e9 0 0 0 6172.5"/></actuator></mujoco>`), 0o666))
	m := polytest.Must(Compile(scene.Settings{Models: []scene.Model{{File: file}}}, "", Options{}))(t)
	t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	out := probes(t, m, "joint/swing/torque")
	own := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 4)
	rows.Control(0)[0] = 0.25
	step(t, own, rows, []int32{0}, []int32{3})
	polytest.Equal(t, rows.Sample(0, 0)[0], 0.5, "torque of the servo that is left")
}

func learnedFrom(file string) scene.Actuators {
	return scene.Actuators{Type: scene.Learned, Network: file, Effort: 1}
}

func TestNetworksThatAreNone(t *testing.T) {
	ms := time.Millisecond
	changed := func(change func(n *policy.Network)) *policy.Network {
		n := anyNetwork(policy.Tanh, 5, 0, 2*ms)
		change(n)
		return n
	}
	for want, n := range map[string]*policy.Network{
		`its actions are ["push"], want one, torque`: changed(func(n *policy.Network) {
			n.ActionNames = []string{"push"}
		}),
		`its actions are [], want one, torque`: changed(func(n *policy.Network) { n.ActionNames = nil }),
		`input "speed", want such as position_error[0s] or velocity[-5ms]`: changed(func(n *policy.Network) {
			n.ObservationNames[1] = "speed"
		}),
		`its inputs have no names`:                                               changed(func(n *policy.Network) { n.ObservationNames = nil }),
		`layer 1 has 257 values, want at most 256`:                               anyNetwork(policy.Tanh, 257, 0),
		`it looks back 3ms, 1.5 physics steps of 2 ms, want a whole number of`:   anyNetwork(policy.Tanh, 2, 3*ms),
		`it looks back 202ms, 101 physics steps of 2 ms, want a whole number of`: anyNetwork(policy.Tanh, 2, 202*ms),
	} {
		file := writeNetwork(t, n)
		err := polytest.Err(Compile(actuatedArm(t, learnedFrom(file)), "", Options{}))
		polytest.ErrorContains(t, err, "scene.actuators[0].network: ")
		polytest.ErrorContains(t, err, want)
	}
	s := actuatedArm(t, learnedFrom(writeNetwork(t, anyNetwork(policy.Tanh, 2, 2*ms))))
	s.Physics.Integrator = "rk4"
	polytest.ErrorContains(t, polytest.Err(Compile(s, "", Options{})), "the integrator rk4 would mix")
	path := filepath.Join(t.TempDir(), "torn.policy")
	polytest.NoError(t, os.WriteFile(path, []byte("polyrhythm"), 0o666))
	polytest.ErrorContains(t, polytest.Err(Compile(actuatedArm(t, learnedFrom(path)), "", Options{})), "torn.policy: ")
	polytest.ErrorContains(t, polytest.Err(Compile(actuatedArm(t, learnedFrom(path+"x")), "", Options{})), "no such file")
}

// A world cannot change where the network of an actuator is, or that it has one.
func TestAddressOfNetworkStays(t *testing.T) {
	for _, number := range []int{5, 9} {
		for _, bad := range []float64{1e9, 0.5, 1e10, -1e10} {
			m, out := swung(t, scene.Actuators{Type: scene.Learned, Network: writeNetwork(t, anyNetwork(policy.Tanh, 5, 0)), Effort: 1})
			out.Parameters = parametersOf(t, m, "actuator_biasprm").Parameters
			s, rows := stepper(t, m, 1, out), physics.NewRows(m, 1, out, 2)
			rows.ParameterRow(0)[number] = bad
			if s.Step(rows, []int32{0}, []int32{1}) != 1 {
				t.Fatalf("value %d of the actuator is %v", number, bad)
			}
			polytest.ErrorContains(t, errors.New(s.FaultMessage(0)), "the engine cannot change this value")
		}
	}
}
