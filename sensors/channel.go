package sensors

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Info describes a compiled channel.
type Info struct {
	Channel
	Size  int           // number of values that a reader gets: the values per sample times max(1, History)
	Far   float64       // largest distance of a camera or a scan, which is also the distance of nothing, m
	Stage physics.Stage // stage of the sources
	Rate  runners.Rate  // rate of the channel's runner

	// Picture is the height, width and channels of a sample that is a picture: rows from the top, in each its pixels
	// from the left, in each its channels. Zero: samples are no pictures. With History, a reader gets one after the
	// other.
	Picture [3]int

	// Calibration is that of a camera in the initial state of the model.
	Calibration cast.Calibration
	// Segments are what the segmentation of a camera may show, with the labels that it shows.
	Segments []physics.Segment
}

// Suite is a set of channels compiled against one model. It is immutable, so all blocks and goroutines may share it.
type Suite struct {
	channels []compiled
	probes   []physics.Vector
	substep  runners.Rate     // rate of substep boundaries
	ring     int              // ring entries per world, over all channels
	notes    int              // integers per world that channels with a memory keep
	memory   int              // values per world that channels with a memory keep
	widest   int              // values of the largest memory of a channel
	history  int              // substep boundaries before an instant that must stay readable
	cameras  []int            // the channels that are cameras
	scans    []int            // the channels that are scans of geoms
	looks    []physics.Vector // the parameters of worlds that cameras and scans of geoms see
	pose     int              // values of the longest pose of a scan or a camera
	exact    int              // number of values of the longest channel that measures
	unseen   []string         // contents of the scene that cameras and scans of geoms do not see
	views    int              // values per world of the views of cameras
	motion   []physics.Span   // the Motion values in a sample that are not observed only

	// Added by With.
	added          []added        // probes
	observed       physics.Span   // values of a sample that are only observed: the last ones
	observedMotion []physics.Span // Motion values among the observed ones
	lookback       bool           // samples of a whole control step must stay readable
}

// added is a probe that is read directly, not through a channel.
type added struct {
	physics.Span
	stage physics.Stage
}

type compiled struct {
	Info
	delays   bool   // whether samples arrive irregularly: with dropout or jitter
	lasts    bool   // the channel has a memory
	measures bool   // distances with errors, which leave those of nothing alone
	converts bool   // pictures with errors, which are bytes or float32s
	bytes    bool   // with converts: colours in bytes divided by 255
	index    int    // number of the channel in the suite
	width    int    // values per sample
	key      uint64 // key of the channel's draws: a hash of the name
	// the parts of a sample row that make up the channel's value, or the pose of a scan or camera
	parts  []physics.Span
	scan   *caster // nil: none
	camera *Camera // nil: none
	eye    int     // number of the camera among the cameras
	labels Labels  // of a segmentation
	// place of the camera in a world's views: the newest pose, its picture and its calibration
	view   physics.Span
	ring   physics.Span // place in a world's ring entries; the length is a power of two
	notes  physics.Span // place in a world's notes; empty without a memory
	memory physics.Span // place in a world's memory; empty without a memory
}

// Compile resolves channels against a model that takes substeps at rate substep. Each channel's runner must be among
// runs. The error names the channel.
func Compile(m physics.Model, substep runners.Rate, runs []runners.Runner, channels []Channel) (*Suite, error) {
	s := &Suite{substep: substep}
	places := map[string]physics.Span{} // place of each source in a sample
	for i, c := range channels {
		if c.Name == "" {
			return nil, fmt.Errorf("the name of sensor channel %d of %d is \"\", want a name", i+1, len(channels))
		}
		if slices.ContainsFunc(channels[:i], func(o Channel) bool { return o.Name == c.Name }) {
			return nil, fmt.Errorf("sensor channel %q is given twice, want different names", c.Name)
		}
		if err := s.add(m, runs, c, places); err != nil {
			return nil, fmt.Errorf("sensor channel %q: %w", c.Name, err)
		}
	}
	return s, nil
}

// add compiles one channel. at has the place of each source in a sample.
func (s *Suite) add(m physics.Model, runs []runners.Runner, c Channel, places map[string]physics.Span) error {
	if err := c.Validate(); err != nil {
		return err
	}
	var known []string
	for _, r := range runs {
		known = append(known, r.Name)
	}
	run := slices.Index(known, c.Runner)
	if run < 0 {
		return fmt.Errorf("no runner %q%s", c.Runner, spell.Hint(c.Runner, known))
	}
	rate := runs[run].Rate
	k := compiled{Info: Info{Channel: c, Rate: rate}, delays: c.Dropout > 0 || c.Jitter > 0, lasts: c.remembers(),
		index: len(s.channels), key: nameKey(c.Name)}
	if c.Scan != nil {
		if err := s.addScan(m, &k); err != nil {
			return fmt.Errorf("scan: %w", err)
		}
	}
	if err := s.addSources(m, &k, places); err != nil {
		return err
	}
	if k.scan != nil || c.Camera != nil {
		s.pose = max(s.pose, k.width)
	}
	if k.scan != nil {
		k.width, k.Picture, k.Far = len(k.scan.rays), c.Scan.picture(), k.scan.scan.MaxDistance
	}
	if c.Camera != nil {
		if err := s.addCamera(m, &k); err != nil {
			return fmt.Errorf("camera: %w", err)
		}
	}
	if c.HasErrors() && (c.Scan != nil || c.Camera != nil && k.camera.Kinds[0] == physics.Depth) {
		k.measures, s.exact = true, max(s.exact, k.width)
		if c.Saturation != (Saturation{}) {
			k.Far = min(k.Far, c.Saturation.High)
		}
	}
	if c.HasErrors() && c.Camera != nil {
		k.converts, k.bytes = true, k.camera.Kinds[0] == physics.RGB && c.InBytes()
	}
	k.Size = k.width * max(1, c.History)
	k.ring = physics.Span{Offset: s.ring, Len: k.entries(rate.Seconds()/room, s.substep)}
	s.ring += k.ring.Len
	if k.remembers() {
		k.notes = physics.Span{Offset: s.notes, Len: noteWords}
		k.memory = physics.Span{Offset: s.memory, Len: k.vector() * (vectors + k.ring.Len)}
		s.notes += k.notes.Len
		s.memory += k.memory.Len
		s.widest = max(s.widest, k.memory.Len)
	}
	s.history = max(s.history, k.history(room*rate.Seconds(), s.substep))
	s.channels = append(s.channels, k)
	return nil
}

// addSources finds what a channel reads among the probes of the suite, and adds those that no channel has read before.
func (s *Suite) addSources(m physics.Model, k *compiled, places map[string]physics.Span) error {
	k.Sources = k.Channel.Reads()
	for i, source := range k.Sources {
		p, err := m.Probe(source)
		if err != nil {
			return err
		}
		if i > 0 && p.Stage != k.Stage {
			return fmt.Errorf("source %q is a %v value and %q is a %v value, want sources of one stage; split "+
				"the channel in two", source, p.Stage, k.Sources[0], k.Stage)
		}
		k.Stage = p.Stage
		span, found := places[source]
		if !found {
			span = physics.Span{Offset: physics.Outputs{Probes: s.probes}.Sizes().Sample, Len: p.Size}
			places[source] = span
			s.probes = append(s.probes, p)
			if p.Stage == physics.Motion {
				s.motion = appendSpan(s.motion, span)
			}
		}
		k.width += span.Len
		k.parts = appendSpan(k.parts, span)
	}
	return nil
}

// addCamera adds the camera of a channel, after a caster of its own has said what the model lacks, before anything is
// written.
func (s *Suite) addCamera(m physics.Model, k *compiled) error {
	camera := k.Channel.Camera.WithDefaults()
	caster, err := openCaster(m, []cast.Camera{camera.Cast()})
	if err != nil {
		return err
	}
	k.Far, s.unseen = float64(caster.Far()), caster.Unseen()
	k.Calibration = caster.Calibration(0, 0)
	k.labels, k.Segments, err = camera.Relabel(caster.Segments())
	described := camera // the camera with the model's values
	if angle := caster.Cameras()[0].FieldOfView; angle != 0 {
		described.FOV = &angle
	}
	k.Info.Camera = &described
	if err := errors.Join(err, caster.Close()); err != nil {
		return err
	}
	if camera.MaxDistance > 0 {
		k.Far = min(k.Far, camera.MaxDistance)
	}
	k.Info.Camera.MaxDistance = k.Far
	k.camera, k.eye = &camera, len(s.cameras)
	k.Picture = [3]int{camera.Height, camera.Width, camera.Channels()}
	pixels := camera.Height * camera.Width * camera.Channels()
	k.view = physics.Span{Offset: s.views, Len: k.width + pixels + CalibrationSize}
	k.width, s.views = pixels, s.views+k.view.Len
	s.cameras = append(s.cameras, k.index)
	return nil
}

// addScan compiles the rays of a channel.
func (s *Suite) addScan(m physics.Model, k *compiled) error {
	if k.Scan.Geoms {
		k.scan = newCaster(*k.Scan, nil)
		k.scan.eye, s.scans = len(s.scans), append(s.scans, k.index)
		caster, err := openFeelers(m, k.Scan) // what the model lacks is reported before anything is written
		if err != nil {
			return err
		}
		s.unseen = caster.Unseen()
		return caster.Close()
	}
	ground, _ := m.(terrain.Holder)
	if ground == nil || ground.Terrain() == nil {
		return errors.New("needs scene.terrain, and the scene has none, want geoms: true for rays that meet its geoms")
	}
	k.scan = newCaster(*k.Scan, ground.Terrain())
	return nil
}

// room is the factor by which the rate of a channel may rise or fall during a run, for which memory is allocated.
const room = 4

// entries returns the number of ring entries that a channel needs when it takes a sample every period seconds: the
// samples that have not arrived, the newest one that has, and the one before it, since a force becomes known one
// substep late. A channel with a memory also needs the samples of its window, and those taken since the last
// substep, which have not been measured. The number is rounded up to a power of two.
func (k *compiled) entries(period float64, substep runners.Rate) int {
	n := int(math.Ceil((k.Latency+k.Jitter).Seconds()/period)) + 3
	if k.remembers() {
		n += k.History + int(math.Ceil(2*substep.Seconds()/period))
	}
	return 1 << bits.Len(uint(n-1))
}

// vector returns the number of values that a memory has of a sample.
func (k *compiled) vector() int {
	if k.camera != nil {
		return k.width + CalibrationSize
	}
	return k.width
}

// entry returns the index in the channel's ring of a sample.
func (k *compiled) entry(sample int64) int64 { return sample & int64(k.ring.Len-1) }

// history returns the largest age, in substep boundaries, of a sample that is still needed: until the next one
// arrives, one period and the largest delay after it was measured. A channel with a memory copies its samples, so it
// needs each only until the next one is taken.
func (k *compiled) history(period float64, substep runners.Rate) int {
	if !k.remembers() {
		period += (k.Latency + k.Jitter).Seconds()
	}
	return int(math.Ceil(period/substep.Seconds())) + 2
}

// Supports returns an error unless a channel can be sampled at another rate in the memory that was allocated.
func (s *Suite) Supports(channel int, rate runners.Rate) error {
	k := &s.channels[channel]
	if k.entries(rate.Seconds(), s.substep) > k.ring.Len || k.history(rate.Seconds(), s.substep) > s.history {
		return fmt.Errorf("the rate of sensor channel %q changes from %v to %v Hz during a run, want at most %d "+
			"times faster or slower", k.Name, k.Rate, rate, room)
	}
	return nil
}

// appendSpan appends a span, or extends the last one if the two are adjacent.
func appendSpan(spans []physics.Span, s physics.Span) []physics.Span {
	if n := len(spans); n > 0 && spans[n-1].Offset+spans[n-1].Len == s.Offset {
		spans[n-1].Len += s.Len
		return spans
	}
	return append(spans, s)
}

// nameKey hashes a channel's name, so that adding a channel does not change the noise of the others.
func nameKey(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Unseen returns what there is in the scene that the cameras and the scans of geoms do not see, such as "2 skins"; nil:
// nothing, or there are none.
func (s *Suite) Unseen() []string { return s.unseen }

// Len returns the number of channels.
func (s *Suite) Len() int { return len(s.channels) }

// Info returns the description of channel i.
func (s *Suite) Info(i int) Info { return s.channels[i].Info }

// Size returns the number of values that [Bank.Read] writes for channel i.
func (s *Suite) Size(i int) int { return s.channels[i].Size }

// Find returns the index of the named channel. The error names the nearest or all.
func (s *Suite) Find(name string) (int, error) {
	var known []string
	for i, c := range s.channels {
		if c.Name == name {
			return i, nil
		}
		known = append(known, c.Name)
	}
	if len(known) == 0 {
		return 0, fmt.Errorf("no sensor channel %q: the configuration has no sensors", name)
	}
	return 0, fmt.Errorf("no sensor channel %q%s", name, spell.Hint(name, known))
}

// Probes returns the engine values that the channels consist of, in the order of a sample row, not to be changed.
func (s *Suite) Probes() []physics.Vector { return s.probes }

// Looks returns those of a task's parameters that cameras see, and their sources as probes.
func Looks(m physics.Model, parameters []string) (looks []physics.Vector, sources []string, err error) {
	optical, ok := m.(physics.Optical)
	for _, source := range parameters {
		if ok && optical.Shows(source) {
			p, err := m.Parameter(source)
			if err != nil {
				return nil, nil, err
			}
			looks, sources = append(looks, p), append(sources, "parameter/"+source)
		}
	}
	return looks, sources, nil
}

// Varying returns the names of the channels with a camera whose focal lengths each world has of its own, where a task has
// some parameters.
func (s *Suite) Varying(m physics.Model, parameters []string) (names []string, err error) {
	looks, _, err := Looks(m, parameters)
	if err != nil || len(looks) == 0 {
		return nil, err
	}
	for _, channel := range s.cameras {
		c := &s.channels[channel]
		varies, err := cast.Varies(m.(physics.Optical), c.camera.Cast(), looks...)
		if err != nil {
			return nil, fmt.Errorf("sensor channel %q: camera: %w", c.Name, err)
		}
		if varies {
			names = append(names, c.Name)
		}
	}
	return names, nil
}

// show adds the parameters of worlds that cameras and scans of geoms see to their samples.
func (s *Suite) show(m physics.Model, parameters []string) error {
	looks, sources, err := Looks(m, parameters)
	if err != nil || len(s.cameras)+len(s.scans) == 0 || len(looks) == 0 {
		return err
	}
	s.looks, s.channels, s.views = looks, slices.Clone(s.channels), 0
	var visible physics.Span
	visible.Offset = physics.Outputs{Probes: s.probes}.Sizes().Sample
	for _, source := range sources {
		p, err := m.Probe(source)
		if err != nil {
			return err
		}
		s.probes = append(s.probes, p)
		visible.Len += p.Size
	}
	s.motion = append(s.motion, visible)
	for _, channel := range s.scans {
		c, pose := &s.channels[channel], visible.Len
		for _, part := range c.parts {
			pose += part.Len
		}
		c.parts, s.pose = append(slices.Clip(c.parts), visible), max(s.pose, pose)
	}
	for _, channel := range s.cameras {
		c := &s.channels[channel]
		c.parts = append(slices.Clip(c.parts), visible)
		c.view = physics.Span{Offset: s.views, Len: c.view.Len + visible.Len}
		s.views += c.view.Len
		s.pose = max(s.pose, c.view.Len-c.vector())
	}
	return nil
}

// With returns the suite for a task with some parameters, with further probes, which [Bank.Probe] reads. Nothing that a
// bank does or holds depends on the observed ones, so that they may be left out of a repeated run.
func (s *Suite) With(m physics.Model, parameters, probes, observed []string) (*Suite, error) {
	suite := *s
	suite.probes, suite.motion = slices.Clip(s.probes), slices.Clone(s.motion)
	if err := suite.show(m, parameters); err != nil {
		return nil, err
	}
	suite.lookback = len(probes) > 0
	size := physics.Outputs{Probes: suite.probes}.Sizes().Sample
	suite.observed.Offset = size
	for i, source := range slices.Concat(probes, observed) {
		p, err := m.Probe(source)
		if err != nil {
			return nil, err
		}
		span := physics.Span{Offset: size, Len: p.Size}
		size += p.Size
		suite.probes = append(suite.probes, p)
		suite.added = append(suite.added, added{span, p.Stage})
		switch {
		case i < len(probes):
			suite.observed.Offset = size
			if p.Stage == physics.Motion {
				suite.motion = appendSpan(suite.motion, span)
			}
		case p.Stage == physics.Motion:
			suite.observedMotion = appendSpan(suite.observedMotion, span)
		}
	}
	suite.observed.Len = size - suite.observed.Offset
	return &suite, nil
}

// Slots returns the number of substep boundaries that [physics.Rows] must keep so that every channel and probe can
// be read while physics is up to lead substeps, at least those of a control step, ahead of the reader.
func (s *Suite) Slots(lead int) int {
	slots := lead + s.history + 1
	if s.lookback {
		slots += lead
	}
	return slots
}
