package policies

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/policy/onnx"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
)

// The adapter of an ONNX file lies beside it, or is a property of the file.
const (
	onnxEnding      = ".onnx"
	adapterEnding   = ".adapter.yaml" // in place of the former
	adapterProperty = "polyrhythm.adapter"
	maxAdapter      = 1 << 20 // bytes
)

// network is a policy of another program.
type network struct {
	model   *onnx.Model
	adapter *adapter // nil: none
	names   struct { // that the file says its values have; nil: it does not say
		observations, actions []string
	}
}

// openONNX reads an ONNX file and the adapter beside it, and returns both as the contents of one file.
func openONNX(path string) (*Policy, error) {
	data, err := disk.ReadFile(path, onnx.MaxBytes)
	if err != nil {
		return nil, err
	}
	beside := strings.TrimSuffix(path, onnxEnding) + adapterEnding
	text, err := disk.ReadFile(beside, maxAdapter)
	switch {
	case err == nil:
		if _, err := parseAdapter(string(text)); err != nil {
			return nil, usage.Errorf("%s: %w", beside, err)
		}
		data = onnx.WithProperty(data, adapterProperty, string(text))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	default: // so that each copy of ours begins with the property
		g, err := onnx.Read(data)
		if err != nil {
			return nil, usage.Errorf("%s: %w", path, err)
		}
		data = onnx.WithProperty(data, adapterProperty, g.Metadata[adapterProperty])
	}
	p, err := Parse(ONNX, path, data)
	return p, usage.Mark(err)
}

// parseONNX reads a policy from what openONNX made of its files.
func parseONNX(contents []byte) (*network, error) {
	g, err := onnx.Read(contents)
	if err != nil {
		return nil, err
	}
	n := &network{}
	if n.adapter, err = parseAdapter(g.Metadata[adapterProperty]); err != nil {
		return nil, fmt.Errorf("its adapter: %w", err)
	}
	n.model, err = g.Model(n.adapter.ports())
	if err == nil && n.adapter == nil {
		n.names.observations, n.names.actions = names(g.Metadata["observation_names"]), names(g.Metadata["action_names"])
	}
	return n, err
}

// names reads a list of names that onnx.Write wrote; nil for something else.
func names(text string) (list []string) {
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// fit fits the policy into a task.
func (n *network) fit(spec sim.Spec) (*fitted, error) {
	f, err := n.adapter.fit(n.model, spec)
	if err != nil {
		if n.adapter == nil {
			err = fmt.Errorf("%w; a file %s beside it can say what it observes and gives", err, "NAME"+adapterEnding)
		}
		return nil, err
	}
	for _, kind := range []struct {
		what       string
		own, wants []string
	}{{"observed value", n.names.observations, spec.ObservationNames}, {"action value", n.names.actions, spec.ActionNames}} {
		if kind.own == nil || kind.wants == nil {
			continue
		}
		for i, name := range kind.own {
			if i < len(kind.wants) && kind.wants[i] != name {
				return nil, fmt.Errorf("its %s %d is %.80q, want %s as %s has; a file NAME%s beside it can say what it observes "+
					"and gives", kind.what, i, name, kind.wants[i], spec.Name, adapterEnding)
			}
		}
	}
	return f, nil
}

// actor returns an actor that acts by the policy, with a memory by row.
func (f *fitted) actor(s *sim.Sim, states []float32) Actor {
	type working struct {
		observed, given []float32
		scratch         *onnx.Scratch
	}
	workers := make([]working, s.Workers())
	for i := range workers {
		workers[i] = working{make([]float32, f.model.Observation()), make([]float32, f.model.Action()), f.model.NewScratch()}
	}
	observed, acted := s.Spec().ObservationSize, s.Spec().ActionSize
	return func(w *sim.Worker, b *sim.Block) error {
		m := &workers[w.Index()]
		for i := range b.Len() {
			memory := states[(b.Row()+i)*f.states:][:f.states]
			begins := b.Begins(i)
			if begins {
				clear(memory)
			}
			f.observe(m.observed, b.Observations()[i*observed:][:observed], memory, begins)
			if err := f.model.Act(m.given, m.observed, memory[:f.model.State()], m.scratch); err != nil {
				return err
			}
			f.act(b.Actions()[i*acted:][:acted], m.given, memory)
		}
		return nil
	}
}
