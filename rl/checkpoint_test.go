package rl

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func learned(t testing.TB) *PPO {
	t.Helper()
	s := cartSettings()
	s.Hidden, s.Schedule, s.TargetKL = []int{5, 4}, Adaptive, 0.01
	p, err := New(newCart(5, 4, 2), s, 11)
	if err != nil {
		t.Fatal(err)
	}
	iterate(t, p, 2)
	return p
}

func TestCheckpointRoundTrip(t *testing.T) {
	p := learned(t)
	file := checkpointBytes(t, p)
	c, err := ReadCheckpoint(iotest.OneByteReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	if c.User != "user text" || c.Iteration != 2 || c.EnvSteps != p.EnvSteps() || c.Seed != 11 || !reflect.DeepEqual(c.Settings, p.settings) {
		t.Errorf("read back %+v", c.Header)
	}
	if !reflect.DeepEqual(c.Policy(), p.Policy()) {
		t.Error("the policy read back is another one")
	}
	again, err := Resume(newCart(5, 4, 2), c, c.Settings, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(checkpointBytes(t, again), file) {
		t.Error("the checkpoint of a resumed learner differs")
	}
}

// A checkpoint says which columns each network reads. Its version is 2, and that of one
// whose networks read everything is 1.
func TestCheckpointOfNetworksThatReadDifferentColumns(t *testing.T) {
	grouped := func() *cart {
		env := newCart(5, 4, 2)
		env.shape.Policy, env.shape.Critic = Span{0, 2}, Span{1, 2}
		return env
	}
	p, err := New(grouped(), cartSettings(), 11)
	if err != nil {
		t.Fatal(err)
	}
	iterate(t, p, 2)
	file := checkpointBytes(t, p)
	if all := checkpointBytes(t, learned(t)); file[8] != 2 || all[8] != 1 {
		t.Errorf("versions %d and %d, want 2 and 1", file[8], all[8])
	}
	c, err := ReadCheckpoint(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Resume(grouped(), c, c.Settings, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(checkpointBytes(t, again), file) {
		t.Error("the checkpoint of a resumed learner differs")
	}
	if _, err := Resume(newCart(5, 4, 2), c, c.Settings, c.Seed); err == nil ||
		!strings.Contains(err.Error(), "shows the policy 3 values from 0, the checkpoint wants 2 from 0") {
		t.Errorf("resumed with other columns: %v", err)
	}

	// What the policy does not read has no influence on it, and need not be there.
	policy, narrow := c.Policy(), c.Policy().Narrow()
	if policy.Observation() != 3 || narrow.Observation() != 2 || narrow.Reads() != (Span{0, 2}) {
		t.Fatalf("policies for %d and %d values, the second reads %v", policy.Observation(), narrow.Observation(), narrow.Reads())
	}
	var actions [3]float32
	for i, in := range [][]float64{{1, 2, 3}, {1, 2, 300}} {
		if err := policy.Act(actions[i:i+1], in, nil, 0, policy.NewScratch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := narrow.Act(actions[2:], []float64{1, 2}, nil, 0, narrow.NewScratch()); err != nil {
		t.Fatal(err)
	}
	if actions[0] != actions[1] || actions[0] != actions[2] {
		t.Errorf("actions %v, want the same three", actions)
	}
}

// From the same fresh episodes, the resumed learner does what the first one does.
func TestDeterminismOfResume(t *testing.T) {
	p := learned(t)
	c, err := ReadCheckpoint(bytes.NewReader(checkpointBytes(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	p.collector.env = newCart(5, 4, 2)
	clear(p.discounted)
	again, err := Resume(newCart(5, 2, 1), c, c.Settings, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := iterate(t, p, 2), iterate(t, again, 2); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("resumed: %+v, want %+v", b, a)
	}
	if !bytes.Equal(checkpointBytes(t, p), checkpointBytes(t, again)) {
		t.Error("the resumed learner learned something else")
	}
}

func TestResumeRefusesAnotherTask(t *testing.T) {
	c, err := ReadCheckpoint(bytes.NewReader(checkpointBytes(t, learned(t))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(newStill(4, 1), c, c.Settings, c.Seed); err == nil || !strings.Contains(err.Error(), "17 observed values") {
		t.Errorf("got %v, want an error with the 17 observed values", err)
	}
	if _, err := Evaluate(newStill(4, 1), c.Policy(), 1); err == nil || !strings.Contains(err.Error(), "17 observed and 6 action values") {
		t.Errorf("got %v, want an error with the sizes", err)
	}
	other := newCart(5, 4, 2)
	other.shape.ActionHigh = []float64{2}
	if _, err := Resume(other, c, c.Settings, c.Seed); err == nil || !strings.Contains(err.Error(), "action bounds [-1] to [2]") {
		t.Errorf("got %v, want an error with the bounds", err)
	}
}

func TestReadCheckpointRefusesDamage(t *testing.T) {
	file := checkpointBytes(t, learned(t))
	for n := range file {
		if c, err := ReadCheckpoint(bytes.NewReader(file[:n])); err == nil || !strings.Contains(err.Error(), "cut short") {
			t.Fatalf("cut to %d of %d bytes: %v, %v, want \"cut short\"", n, len(file), c, err)
		}
	}
	for i := range file {
		for _, bit := range []byte{1, 0x80} {
			damaged := bytes.Clone(file)
			damaged[i] ^= bit
			if c, err := ReadCheckpoint(bytes.NewReader(damaged)); err == nil {
				t.Fatalf("bit %#x of byte %d flipped: read as %v", bit, i, c)
			}
		}
	}
	for _, c := range []struct {
		want string
		file []byte
	}{
		{`it begins with "\x7fELF`, append([]byte("\x7fELF\x02\x01\x01\x00"), file[8:]...)},
		{"its version is 3, want 1 to 2", func() []byte { f := bytes.Clone(file); f[8] = 3; return f }()},
		{"bytes follow its end", append(bytes.Clone(file), 0)},
		{"its checksum is", func() []byte { f := bytes.Clone(file); f[len(f)/2] ^= 4; return f }()},
		{"cut short: 0 bytes", nil},
	} {
		if _, err := ReadCheckpoint(bytes.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}

// A payload with a right checksum is not trusted either.
func TestReadCheckpointRefusesSealedNonsense(t *testing.T) {
	file := checkpointBytes(t, learned(t))
	payload := file[checkpointPrefix : len(file)-4]
	size := binary.LittleEndian.Uint32(payload)
	header, arrays := string(payload[4:4+size]), payload[4+size:]
	build := func(header string, arrays []byte) []byte {
		p := binary.LittleEndian.AppendUint32(nil, uint32(len(header)))
		return seal(append(append(p, header...), arrays...), 1)
	}
	if _, err := ReadCheckpoint(bytes.NewReader(build(header, arrays))); err != nil {
		t.Fatal(err)
	}
	nan := bytes.Clone(arrays)
	copy(nan[40:], []byte{0, 0, 0xc0, 0x7f})
	for _, c := range []struct {
		want string
		file []byte
	}{
		{"a payload of 3 bytes", seal([]byte("abc"), 1)},
		{"a header of 4294967295 bytes", seal([]byte("\xff\xff\xff\xff{}"), 1)},
		{"damaged header", build(header[1:], arrays)},
		{"damaged header: more follows", build(header+" 1", arrays)},
		{"unknown field", build(strings.Replace(header, `"Seed"`, `"Sead"`, 1), arrays)},
		{"hidden[0] is 50000000", build(strings.Replace(header, "[5,4]", "[50000000,4]", 1), arrays)},
		{"want 6444810356", build(strings.Replace(header, "[5,4]", "[16384,16384]", 1), arrays)},
		{"want 1 to 1048576", build(strings.Replace(header, `"Observation":3`, `"Observation":3000000`, 1), arrays)},
		{"gamma is 7", build(strings.Replace(header, `"Gamma":0.99`, `"Gamma":7`, 1), arrays)},
		{"counters", build(strings.Replace(header, `"Iteration":2`, `"Iteration":-2`, 1), arrays)},
		{"arrays of", build(header, arrays[1:])},
		{"its version is 1, its header is of version 2", build(strings.Replace(header, `"Iteration"`, `"PolicyReads":{"First":0,"Size":3},"Iteration"`, 1), arrays)},
		{"the value network reads 2 values from 2, want at least 1 of the 3", build(strings.Replace(header, `"Iteration"`, `"CriticReads":{"First":2,"Size":2},"Iteration"`, 1), arrays)},
		{"-1 choices in 1 action values, want 1 to 1048576 in 1, or 0", build(strings.Replace(header, `"Iteration"`, `"Choices":-1,"Iteration"`, 1), arrays)},
		{"reads 4611686018427387904 values", build(strings.Replace(header, `"Iteration"`, `"PolicyReads":{"First":4611686018427387904,"Size":4611686018427387904},"Iteration"`, 1), arrays)},
		{"a parameter is NaN", build(header, nan)},
	} {
		if _, err := ReadCheckpoint(bytes.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}

// Whatever is accepted can be used and written again.
func FuzzReadCheckpoint(f *testing.F) {
	file := checkpointBytes(f, learned(f))
	f.Add(file, uint8(0))
	f.Add(file[checkpointPrefix:len(file)-4], uint8(1))
	f.Add([]byte(nil), uint8(0))
	f.Add([]byte("\x02\x00\x00\x00{}"), uint8(1))
	for _, change := range []func(*Shape, *Settings){
		func(e *Shape, _ *Settings) { e.Choices, e.Policy = 3, Span{1, 2} },
		func(_ *Shape, s *Settings) { s.StateStd, s.MaxStd, s.CriticHidden = true, 2, []int{3} },
		func(_ *Shape, s *Settings) {
			s.Symmetry = Symmetry{1, Mirror{Swap: [][]int{{0, 1}}}, Mirror{Negate: []int{0}}}
		},
	} {
		env, s := newCart(2, 2, 1), cartSettings()
		s.Hidden = []int{2}
		change(&env.shape, &s)
		p, err := New(env, s, 1)
		if err != nil {
			f.Fatal(err)
		}
		file := checkpointBytes(f, p)
		f.Add(file[checkpointPrefix:len(file)-4], uint8(2))
	}
	f.Fuzz(func(t *testing.T, data []byte, version uint8) {
		if version > 0 {
			data = seal(data, uint32(version))
		}
		c, err := ReadCheckpoint(bytes.NewReader(data))
		if err != nil {
			return
		}
		p := c.Policy()
		action := make([]float32, p.Action())
		if err := p.Act(action, make([]float64, p.Observation()), make([]float32, p.State()), 0, p.NewScratch()); err != nil {
			t.Errorf("an accepted policy does not act: %v", err)
		}
		payload, err := c.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadCheckpoint(bytes.NewReader(seal(payload, c.version())))
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("written and read again: %v, %v", again, err)
		}
	})
}

func TestCheckpointRefusesTextThatIsNotUTF8(t *testing.T) {
	if err := learned(t).Checkpoint(new(bytes.Buffer), "\xff"); err == nil {
		t.Error("accepted")
	}
}

// A resumed learner follows the settings it is given: with more steps the linear
// schedule has something left to learn with.
func TestResumeFollowsItsSettings(t *testing.T) {
	s := cartSettings()
	s.Schedule, s.TotalSteps = Linear, 4*64*5
	p, err := New(newCart(5, 4, 2), s, 11)
	if err != nil {
		t.Fatal(err)
	}
	for p.EnvSteps() < s.TotalSteps {
		iterate(t, p, 1)
	}
	c, err := ReadCheckpoint(bytes.NewReader(checkpointBytes(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	more := s
	more.TotalSteps, more.LearningRate, more.RolloutSteps, more.Minibatch = 2*c.EnvSteps, 2*s.LearningRate, 2*s.RolloutSteps, 16
	again, err := Resume(newCart(5, 4, 2), c, more, 11)
	if err != nil {
		t.Fatal(err)
	}
	m := iterate(t, again, 1)
	if m.LearningRate != s.LearningRate { // half of the steps are left, at twice the rate
		t.Errorf("the learning rate is %v, want %v", m.LearningRate, s.LearningRate)
	}
	if taken := again.EnvSteps() - c.EnvSteps; taken != int64(more.RolloutSteps*5) {
		t.Errorf("a rollout of %d steps, want %d", taken, more.RolloutSteps*5)
	}
	for want, change := range map[string]func(s *Settings){
		"steps is 1280, want more than the 1280 that the checkpoint has taken": func(s *Settings) { s.TotalSteps = 1280 },
		"hidden is [8], want [32 32] as in the checkpoint":                     func(s *Settings) { s.Hidden = []int{8} },
		"initial_std is 2, want 1 as in":                                       func(s *Settings) { s.InitialStd = 2 },
		"normalise_observations is false, want true as in":                     func(s *Settings) { s.NormaliseObservations = false },
		"scale_rewards is false, want true as in":                              func(s *Settings) { s.ScaleRewards = false },
		"activation is elu, want tanh as in":                                   func(s *Settings) { s.Activation = ELU },
		"policy_hidden is [8], want [32 32] as in":                             func(s *Settings) { s.PolicyHidden = []int{8} },
		"critic_hidden is [8], want [32 32] as in":                             func(s *Settings) { s.CriticHidden = []int{8} },
		"state_dependent_std is true, want false as in":                        func(s *Settings) { s.StateStd = true },
		"gamma is 2, want 0 to 1":                                              func(s *Settings) { s.Gamma = 2 },
	} {
		s := more
		change(&s)
		if _, err := Resume(newCart(5, 4, 2), c, s, 11); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// The header of a checkpoint has the settings in an order of its own.
func TestHeaderHasEverySetting(t *testing.T) {
	text, err := json.Marshal(DefaultSettings())
	const want = `{"Hidden":[64,64],"InitialStd":1,"Steps":64,"Epochs":10,"Minibatch":512,"LearningRate":0.0003,"Schedule":"linear","TotalSteps":1000000,` +
		`"Gamma":0.99,"Lambda":0.95,"Clip":0.2,"ClipValue":true,"ValueWeight":0.5,"Entropy":0,"MaxGradNorm":0.5,"TargetKL":0,` +
		`"NormaliseObservations":true,"NormaliseAdvantages":true,"ScaleRewards":true}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v; want %s", text, err, want)
	}
	if got, want := len(headerOrder)+len(headerOptions), reflect.TypeFor[Settings]().NumField(); got != want {
		t.Errorf("the header has %d settings, want all %d", got, want)
	}
	// What is not left out follows, and is read back.
	s := DefaultSettings()
	s.Activation, s.PolicyHidden, s.CriticHidden, s.MinStd, s.MaxStd, s.StateStd = ELU, []int{8}, []int{16, 4}, 0.5, 2, true
	s.Symmetry = Symmetry{1, Mirror{[][]int{{0, 2}}, []int{1}}, Mirror{Negate: []int{0}}}
	text, err = json.Marshal(s)
	const more = `,"Activation":"elu","PolicyHidden":[8],"CriticHidden":[16,4],"MinStd":0.5,"MaxStd":2,"StateStd":true,` +
		`"Symmetry":{"Weight":1,"Observation":{"Swap":[[0,2]],"Negate":[1]},"Action":{"Negate":[0]}}}`
	if err != nil || string(text) != strings.TrimSuffix(want, "}")+more {
		t.Errorf("got %s, %v; want %s", text, err, more)
	}
	var back Settings
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("read back %+v, %v", back, err)
	}
}

// Learners of each kind of policy go on from their checkpoints, and the policy read back
// is the same.
func TestCheckpointOfEachKindOfPolicy(t *testing.T) {
	for name, change := range map[string]func(*Shape, *Settings){
		"choices": func(e *Shape, _ *Settings) { e.Choices = 3 },
		"elu":     func(_ *Shape, s *Settings) { s.Activation = ELU },
		"sizes":   func(_ *Shape, s *Settings) { s.PolicyHidden, s.CriticHidden = []int{7}, []int{9, 3} },
		"std":     func(_ *Shape, s *Settings) { s.StateStd, s.MinStd, s.MaxStd = true, 0.9, 1.1 },
		"mirror": func(_ *Shape, s *Settings) {
			s.Symmetry = Symmetry{1, Mirror{Negate: []int{0, 1}}, Mirror{Negate: []int{0}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := cartSettings()
			s.Schedule, s.TargetKL = Adaptive, 0.01
			env := func(workers int) *cart {
				e := newCart(5, 4, workers)
				change(&e.shape, &s)
				return e
			}
			p, err := New(env(2), s, 11)
			if err != nil {
				t.Fatal(err)
			}
			iterate(t, p, 2)
			file := checkpointBytes(t, p)
			c, err := ReadCheckpoint(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			if file[8] != 2 || !reflect.DeepEqual(c.Policy(), p.Policy()) {
				t.Errorf("version %d, want 2, and the same policy", file[8])
			}
			p.collector.env = env(2)
			clear(p.discounted)
			again, err := Resume(env(1), c, c.Settings, c.Seed)
			if err != nil {
				t.Fatal(err)
			}
			iterate(t, p, 1)
			iterate(t, again, 1)
			if !bytes.Equal(checkpointBytes(t, p), checkpointBytes(t, again)) {
				t.Error("the resumed learner learned something else")
			}
		})
	}
}

// A minibatch larger than a rollout takes no memory of its size, and learns the same.
func TestMinibatchBeyondTheRollout(t *testing.T) {
	var files [][]byte
	for _, minibatch := range []int{64 * 5, math.MaxInt32} {
		s := cartSettings()
		s.Minibatch = minibatch
		p, err := New(newCart(5, 4, 2), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		iterate(t, p, 1)
		p.settings.Minibatch = 0 // the file says it
		files = append(files, checkpointBytes(t, p))
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("a minibatch of a whole rollout and a larger one learn differently")
	}
}
