package mujoco

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// maxBack is the most physics steps that a network of an actuator looks back.
const maxBack = 100

// network computes the torques of actuators, from what is and was at their joints: an actuator network, as in Hwangbo
// et al. 2019, "Learning agile and dynamic motor skills for legged robots". Its numbers are in the compiled model, so
// that they belong to its digest.
type network struct {
	*policy.Network
	name   string // name of the network's numbers in the model
	inputs []quantity
	back   int // number of physics steps that the network looks back
}

// learnedActuator is an added actuator whose torque a network computes.
type learnedActuator struct {
	actuator string
	network  *network
}

// quantity is an input of a network.
type quantity struct {
	index int // index in scene.Quantities
	age   time.Duration
	steps int // age in physics steps
}

// readNetworks reads the networks of the entries. Their files are relative to folder.
func (b *builder) readNetworks(s *sources, folder string) error {
	for i := range b.entries {
		e := &b.entries[i]
		if e.Kind() != scene.Learned {
			continue
		}
		var err error
		if e.network, err = readNetwork(s, resolve(folder, e.Network)); err != nil {
			return fmt.Errorf("scene.actuators[%d].network: %w", i, err)
		}
		e.network.name = fmt.Sprintf("scene.actuators[%d].network", i)
	}
	return nil
}

func readNetwork(s *sources, path string) (*network, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n := new(network)
	if n.Network, err = policy.Read(io.TeeReader(f, s.inputs)); err == nil {
		err = n.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// check returns an error unless the network is one of an actuator, and reads the names of its inputs.
func (n *network) check() error {
	if n.Recurrent > 0 || len(n.Convolutions) > 0 || n.Discrete > 0 || n.Squash {
		return errors.New("it has memory, convolutions, choices or a squashed action, want layers alone")
	}
	if len(n.ActionNames) != 1 || n.ActionNames[0] != scene.Torque {
		return fmt.Errorf("its actions are %q, want one, %s", n.ActionNames, scene.Torque)
	}
	for l, size := range n.Sizes {
		if size > C.PR_MAX_UNITS {
			return fmt.Errorf("layer %d has %d values, want at most %d", l, size, C.PR_MAX_UNITS)
		}
	}
	for _, name := range n.ObservationNames {
		index, age, err := scene.ParseQuantity(name)
		if err != nil {
			return err
		}
		n.inputs = append(n.inputs, quantity{index: index, age: age})
	}
	if len(n.inputs) == 0 {
		return fmt.Errorf("its inputs have no names, want such as %s", scene.QuantityName(0, 0))
	}
	return nil
}

// fitNetworks gives the networks the physics step.
func (b *builder) fitNetworks() error {
	for _, e := range b.entries {
		if e.network == nil {
			continue
		}
		for k := range e.network.inputs {
			input := &e.network.inputs[k]
			steps := input.age.Seconds() / b.timestep
			input.steps = int(math.Round(steps))
			if math.Abs(steps-math.Round(steps)) > 1e-6*max(1, steps) || input.steps > maxBack {
				return fmt.Errorf("%s: it looks back %v, %.4g physics steps of %v ms, want a whole number of them, "+
					"at most %d", e.network.name, input.age, steps, 1e3*b.timestep, maxBack)
			}
			e.network.back = max(e.network.back, input.steps)
		}
	}
	return nil
}

// addMemory gives an actuator the activations that hold the steps before.
func (n *network) addMemory(c *C.mjsActuator) {
	if n.back > 0 {
		c.dyntype, c.actdim = C.mjDYN_USER, C.int(2*n.back)
	}
}

// addNetworks adds the numbers of the networks to the scene.
func (b *builder) addNetworks() error {
	for i, e := range b.entries {
		if e.network == nil {
			continue
		}
		if e.network.back > 0 && b.spec.option.integrator == C.mjINT_RK4 {
			return fmt.Errorf("scene.actuators[%d]: the network remembers steps, whose parts the integrator rk4 "+
				"would mix, want another scene.physics.integrator", i)
		}
		values := e.network.encode()
		numeric := C.mjs_addNumeric(b.spec)
		numeric.size = C.int(len(values))
		C.mjs_setDouble(numeric.data, unsafe.SliceData(values), C.int(len(values)))
		C.mjs_setName(numeric.element, cString(e.network.name))
	}
	return nil
}

// encode returns the numbers in the order of shim.h.
func (n *network) encode() []C.double {
	head := [C.PR_NET_HEAD]C.double{
		C.PR_NET_BACK: C.double(n.back),
		C.PR_NET_FUNCTION: C.double(slices.Index([]policy.Activation{policy.Tanh, policy.ELU, policy.ReLU},
			n.Activation)),
		C.PR_NET_LIMIT:  C.double(min(n.Limit, math.MaxFloat64)),
		C.PR_NET_LOW:    C.double(max(n.Low[0], -math.MaxFloat32)),
		C.PR_NET_HIGH:   C.double(min(n.High[0], math.MaxFloat32)),
		C.PR_NET_INPUTS: C.double(n.Inputs()),
		C.PR_NET_LAYERS: C.double(len(n.Layers)),
	}
	all := head[:]
	for _, size := range n.Sizes[1:] {
		all = append(all, C.double(size))
	}
	for i, input := range n.inputs {
		all = append(all, C.double(input.index), C.double(input.steps), C.double(n.Mean[i]), C.double(n.Scale[i]))
	}
	for _, layer := range n.Layers {
		for _, v := range slices.Concat(layer.Weights, layer.Biases) {
			all = append(all, C.double(v))
		}
	}
	return all
}

// forgetNetworks removes addresses of networks that a model's file made up. Compiling takes a step.
func forgetNetworks(spec *C.mjSpec) {
	for _, e := range elements(spec, C.mjOBJ_ACTUATOR) {
		if a := C.mjs_asActuator(e); a.biasprm[C.mjNBIAS-1] == C.PR_MOTOR {
			a.biasprm[C.PR_NETWORK] = 0
		}
	}
}

// placeNetworks tells the actuators of a compiled scene where their networks are.
func (b *builder) placeNetworks(c *C.mjModel) {
	for _, l := range b.learnedActuators {
		address := id(c.numeric_adr, idOf(c, C.mjOBJ_NUMERIC, l.network.name))
		number := C.mjNBIAS*idOf(c, C.mjOBJ_ACTUATOR, l.actuator) + C.PR_NETWORK
		unsafe.Slice(c.actuator_biasprm, C.mjNBIAS*int(c.nactuator))[number] = C.mjtNum(address + 1)
	}
}
