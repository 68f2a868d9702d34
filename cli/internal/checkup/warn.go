package checkup

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// What is worth a warning.
const (
	fastJoint       = 100.0            // speed of a joint, rad/s or m/s
	fastFall        = 5.0              // speed of a fall, m/s, after 1.3 m
	deepContact     = 0.01             // overlap at the start, m
	constraintError = 0.01             // error of a constraint at the start, m or rad
	mostlyFull      = 0.5              // share of the steps in which an actuator is at its limit
	shortEpisode    = 0.2              // length of an episode with random actions that teaches little, s
	longBeat        = 10 * time.Second // time between two instants at which two runners meet
	coarse          = 1.5              // ratio of the physics step to that of the model's file
	tooStiff        = 1.0              // phase of an oscillation in a physics step, rad
	uneven          = 1000.0           // ratio of the sizes of observed values
	huge            = 1e4              // size of an observed value
	dominance       = 100.0            // ratio of a reward's size to that of all others together
)

func (r *Report) warning(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

func (r *Report) addFinding(kind Finding, format string, args ...any) {
	r.Findings = append(r.Findings, kind)
	r.warning(format, args...)
}

func (r *Report) warn(cfg *configs.Config, e *env.Env, t *trial) {
	r.Warnings = append(r.Warnings, e.Warnings()...)
	r.warnOfMotion(t)
	r.warnOfPose(cfg, t)
	r.warnOfContacts(t)
	r.warnOfControls(t)
	r.warnOfFactors()
	r.warnOfForces(t)
	r.warnOfSteps(cfg, e, t)
	if t.spec.MaxSteps == 0 {
		r.warning("episodes: no time limit; an evaluation truncates an episode after %d control steps, a training "+
			"never: see the termination time_out and max_steps", env.LongestEpisode)
	}
	r.warnOfMeetings(cfg, e)
	r.warnOfSensors(cfg)
	for _, h := range t.hidden {
		r.warning("sensors.%s: it sees nothing nearer than %.3g m, and something is %.3g m before it at the start; a "+
			"smaller visual/map znear, a part of the extent, in the model's file helps", h.channel, h.near, h.nearest)
	}
	if s := r.Trial.Rest.FirstEndS; s == 0 || s > 2.5*t.length { // otherwise nothing had time to change
		r.warnOfRewards()
		r.warnOfObservations(cfg)
	}
}

// warnOfMotion finds faults, speeds out of proportion and falls.
func (r *Report) warnOfMotion(t *trial) {
	n := r.Trial.Rest.Faults + r.Trial.Random.Faults
	switch {
	case n > 0 && t.kind == physics.FaultTask:
		r.warning("fault: %d episodes in %d worlds ended because a value was not finite (%s); see the formula and the "+
			"weight of the entry", n, worlds, t.fault)
	case n > 0:
		r.addFinding(Unstable, "unstable: physics failed %d times in %d worlds (%s); shorter physics steps, less "+
			"stiffness or more armature help", n, worlds, t.fault)
	}
	if worst := slices.Max(append(t.fastest, 0)); worst > fastJoint {
		r.addFinding(Unstable, "unstable: %s moves at up to %.3g rad/s or m/s; shorter physics steps, less "+
			"stiffness or more armature help", t.freedom(slices.Index(t.fastest, worst)), worst)
	}
	if s := r.Trial.Rest.FirstEndS; s > 0 {
		r.addFinding(Falls, "falls: with actions of 0 an episode ends after %.2g s; see start, terminations and the "+
			"gains of the actuators", s)
	}
	if s := r.Trial.Random.FirstEndS; s > 0 && s < shortEpisode && r.Trial.Rest.FirstEndS == 0 {
		r.addFinding(FallsAtRandom, "falls: with random actions an episode ends after %.2g s; a smaller scale of the "+
			"actions helps to learn", s)
	}
}

func (t *trial) freedom(i int) string {
	for _, j := range t.d.Joints {
		if i >= j.VelocityAt && i < j.VelocityAt+j.VelocitySize {
			return "joint " + j.Ref
		}
	}
	return fmt.Sprintf("degree of freedom %d", i)
}

// warnOfPose finds joints that begin beyond their range and a base that begins in the air.
func (r *Report) warnOfPose(cfg *configs.Config, t *trial) {
	if t.model == nil || !cfg.Described() {
		return
	}
	row := make([]float64, t.model.StateSize())
	t.model.InitialState(row)
	if cfg.Start.Keyframe != "" && t.model.Keyframe(cfg.Start.Keyframe, row) != nil {
		return
	}
	position, err := t.model.Field("qpos")
	if err != nil {
		return
	}
	start := make([]float64, len(t.d.Joints))
	for i, j := range t.d.Joints {
		if j.PositionSize != 1 {
			continue
		}
		q := &start[i]
		*q = position.In(row)[j.PositionAt]
		if x, ok := startPosition(cfg, &j); ok {
			*q = x
		}
		if slack := 1e-3 * (j.Range[1] - j.Range[0]); *q < j.Range[0]-slack || *q > j.Range[1]+slack {
			r.warning("start: joint %s begins at %.4g, beyond its range of %.4g to %.4g; see start.joints", j.Ref, *q,
				j.Range[0], j.Range[1])
		}
	}
	for _, e := range t.equalities {
		if e.Off > constraintError {
			r.warning("start: the %s constraint %s of the model is off by %.2g m or rad, and pulls what it holds "+
				"together at once; see start.joints", e.Type, e.Ref, e.Off)
		}
	}
	for _, c := range t.d.Couplings {
		if c.Driver < 0 {
			continue
		}
		joint, driver := &t.d.Joints[c.Joint], &t.d.Joints[c.Driver]
		_, first := startPosition(cfg, joint)
		_, second := startPosition(cfg, driver)
		linear := c.Polynomial[2] == 0 && c.Polynomial[3] == 0 && c.Polynomial[4] == 0
		if !first || !second && linear { // otherwise the given joint moves the other
			continue
		}
		want, x := joint.Home[0], start[c.Driver]-driver.Home[0]
		for i, p := range c.Polynomial {
			want += p * math.Pow(x, float64(i))
		}
		if q := start[c.Joint]; math.Abs(q-want) > constraintError {
			r.warning("start: joint %s begins at %.4g, where %s has it, not at %.4g: the model couples them; see "+
				"start.joints", joint.Ref, want, driver.Ref, q)
		}
	}
	if t.drop > fastFall {
		r.warning("start: the base falls at up to %.2g m/s with actions of 0, so it begins high above the floor; see "+
			"start.height", t.drop)
	}
}

func (r *Report) warnOfControls(t *trial) {
	var names []string
	for _, a := range t.d.Actuators {
		if first := a.ControlAt; first+a.ControlSize <= len(t.driven) &&
			!slices.Contains(t.driven[first:first+a.ControlSize], true) && a.ControlSize > 0 {
			names = append(names, a.Ref)
		}
	}
	if len(names) > 0 && t.first != nil {
		r.warning("undriven: %s held at one control whatever the actions; an action such as actuator_control "+
			"drives it, and a scale of 0 does not", some(names, "actuator"))
	}
}

// startPosition returns the position that start.joints gives a joint.
func startPosition(cfg *configs.Config, j *mujoco.Joint) (q float64, ok bool) {
	for _, text := range slices.Sorted(maps.Keys(cfg.Start.Joints)) {
		pattern, err := scene.Pattern(text)
		if x := number(cfg.Start.Joints[text]); err == nil && x != nil && pattern.MatchString(j.Ref) {
			q, ok = *x, true
		}
	}
	return q, ok
}

// warnOfFactors finds events that leave nothing of what they change.
func (r *Report) warnOfFactors() {
	for _, term := range r.Terms {
		factor := term.ParameterValues["operation"] == "scale" || term.ParameterValues["operation"] == nil &&
			slices.Contains([]string{"body_mass", "pd_gains"}, term.Term)
		for _, key := range []string{"ranges", "kp", "kd"} {
			if ends, ok := term.ParameterValues[key].([]any); ok && term.Section == "events" && factor &&
				len(ends) == 2 {
				if most := number(ends[1]); most != nil && *most == 0 {
					r.warning("events.%s: %s is a factor of 0, which leaves nothing of the model's value",
						term.Name, key)
				}
			}
		}
	}
}

func (r *Report) warnOfContacts(t *trial) {
	deepest := map[[2]int]float64{}
	for _, c := range t.contacts {
		if c.Distance < -deepContact {
			pair := c.Geoms
			slices.Sort(pair[:])
			deepest[pair] = min(deepest[pair], c.Distance)
		}
	}
	if len(deepest) == 0 {
		return
	}
	pair := slices.MinFunc(slices.Collect(maps.Keys(deepest)), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(deepest[a], deepest[b]), slices.Compare(a[:], b[:]))
	})
	more := ""
	if n := len(deepest) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	kind := Overlaps
	name, root := t.geom(pair[0])
	other, otherRoot := t.geom(pair[1])
	if root == otherRoot {
		kind = Tangled
	}
	r.addFinding(kind, "contact at the start: %s and %s overlap by %.2g m%s; see start", name, other, -deepest[pair],
		more)
}

// geom returns the name of a geom and its body, and the body below the world that it hangs on, 0 if none.
func (t *trial) geom(id int) (name string, root int) {
	if id < 0 || id >= len(t.d.Geoms) {
		return "something", 0
	}
	g := t.d.Geoms[id]
	b := t.d.Bodies[g.Body]
	return fmt.Sprintf("geom %s of body %s", g.Ref, b.Ref), b.Root
}

func (r *Report) warnOfForces(t *trial) {
	for _, c := range []struct {
		saturation *saturation
		kind       Finding
		condition  string
		help       string
	}{
		{&t.restSaturation, Weak, "with actions of 0", "the effort does not hold the start pose"},
		{&t.randomSaturation, Saturated, "with random actions",
			"a smaller scale of the action, a smaller kp or a larger effort helps"},
	} {
		var names []string
		share := 0.0
		for i, n := range c.saturation.full {
			if s := float64(n) / float64(max(c.saturation.steps, 1)); s > mostlyFull {
				names = append(names, t.d.Actuators[i].Ref)
				share = max(share, s)
			}
		}
		if len(names) > 0 {
			r.addFinding(c.kind, "saturated: %s at full force in %.0f %% of the steps %s; %s",
				some(names, "actuator"), 100*share, c.condition, c.help)
			return
		}
	}
}

// some names a few of many things, which are something.
func some(names []string, noun string) string {
	if len(names) == 1 {
		return noun + " " + names[0] + " is"
	}
	return noun + "s " + few(names, 4, 3) + " are"
}

// few names all things, or of more than most only some.
func few(names []string, most, some int) string {
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:some], ", "), n-some)
	}
	return strings.Join(names, ", ")
}

// warnOfSteps finds physics steps that are too long for the model.
func (r *Report) warnOfSteps(cfg *configs.Config, e *env.Env, t *trial) {
	if t.model == nil {
		return
	}
	step, fileStep := t.d.Timestep, t.d.FileTimestep
	if fileStep > 0 && step > coarse*fileStep {
		want := int(math.Ceil(e.Plan().Schedule().ControlRate().Seconds()/fileStep - 1e-9))
		r.warning("timestep: physics steps take %.3g ms, those of the model's file %.3g ms; "+
			"bindings.physics.substeps: %d gives these", 1000*step, 1000*fileStep, want)
	}
	if !cfg.Described() {
		return
	}
	var stiff []string
	worst := 0.0
	for _, a := range t.d.Actuators {
		if a.KP <= 0 || a.Transmission != "joint" || a.Target < 0 {
			continue
		}
		j := t.d.Joints[a.Target]
		if advance := step * math.Sqrt(a.KP*a.Gear*a.Gear/max(j.Inertia, 1e-12)); advance > tooStiff {
			stiff = append(stiff, a.Ref)
			worst = max(worst, advance)
		}
	}
	if stiff != nil {
		r.addFinding(Stiff, "timestep: %s too stiff for physics steps of %.3g ms: an oscillation advances by up "+
			"to %.2g rad in one, want at most %g; more substeps, a smaller kp or an armature helps",
			some(stiff, "actuator"), 1000*step, worst, tooStiff)
	}
}

// warnOfMeetings finds pairs of runners that seldom or never meet, and channels that are faster than physics.
func (r *Report) warnOfMeetings(cfg *configs.Config, e *env.Env) {
	all := e.Plan().Schedule().Runners()
	for i, a := range all {
		for _, b := range all[i+1:] {
			pair, err := runners.Compile([]runners.Runner{a, b}, nil)
			if err != nil {
				continue
			}
			if s, _ := pair.BeatPeriod().Float64(); s > longBeat.Seconds() {
				r.warning("runners: %s at %s Hz and %s at %s Hz meet only every %.4g s", a.Name, a.Rate, b.Name,
					b.Rate, s)
			}
		}
	}
	substep := e.Plan().Schedule().SubstepRate()
	for _, c := range cfg.Sensors {
		for _, run := range all {
			if !bool(c.Disabled) && run.Name == c.Runner && run.Rate.Seconds() < substep.Seconds()*(1-1e-9) {
				r.warning("sensors.%s: runner %s at %s Hz is faster than physics at %s Hz, so that samples repeat",
					c.Name, run.Name, run.Rate, substep)
			}
		}
	}
}

func (r *Report) warnOfSensors(cfg *configs.Config) {
	if !cfg.Described() {
		return
	}
	for _, c := range cfg.Sensors {
		recorded := cfg.Recording.Enabled && (len(cfg.Recording.Channels) == 0 ||
			slices.Contains(cfg.Recording.Channels, c.Name))
		if !bool(c.Disabled) && !recorded && !r.reads(c.Name) {
			r.warning("sensors.%s: nothing reads it: no observation, no expression and no dataset", c.Name)
		}
	}
}

// reads reports whether an entry reads a channel: by its parameter, or as sensor.NAME or sensor["NAME"].
func (r *Report) reads(channel string) bool {
	name := regexp.QuoteMeta(channel)
	inExpr := regexp.MustCompile(`\bsensor\s*(\.\s*` + name + `(\W|$)|\[\s*["'` + "`]" + name + `["'` + "`]" + `\s*\])`)
	return slices.ContainsFunc(r.Terms, func(t SectionEntry) bool {
		return t.ParameterValues["channel"] == channel || inExpr.MatchString(t.Expr)
	})
}

// seldom lists rewards that are 0 unless something particular happens.
var seldom = []string{"is_terminated", "joint_pos_limits", "undesired_contacts", "feet_air_time",
	"position_command_error_tanh"}

func (r *Report) warnOfRewards() {
	size := func(v Values) float64 { return max(math.Abs(v.Low), math.Abs(v.High)) }
	for i, v := range r.Trial.Rewards {
		rest := 0.0 // a sum, since a difference would be 0 beside a huge term
		for k, other := range r.Trial.Rewards {
			if k != i {
				rest += size(other)
			}
		}
		if rest > 0 && size(v) > dominance*rest {
			format := "rewards.%s: up to %.2g per step, where all others together are at most %.2g: they teach " +
				"nothing beside it; see its weight"
			if v.Name == "joint_torques_l2" {
				r.addFinding(Costly, format, v.Name, size(v), rest)
			} else {
				r.warning(format, v.Name, size(v), rest)
			}
		}
	}
	for _, v := range r.Trial.Rewards {
		i := slices.IndexFunc(r.Terms, func(t SectionEntry) bool { return t.Section == "rewards" && t.Name == v.Name })
		// a curriculum sets the weight, and the trial is at its first step
		inCurriculum := slices.ContainsFunc(r.Terms, func(t SectionEntry) bool {
			return t.Section == "curriculum" && t.Term == "reward_weight" && t.ParameterValues["reward"] == v.Name
		})
		if v.Low != 0 || v.High != 0 || i < 0 || slices.Contains(seldom, r.Terms[i].Term) || inCurriculum {
			continue
		}
		problem := "always 0"
		if w := r.Terms[i].Weight; w != nil && *w == 0 {
			problem = "its weight is 0"
		}
		r.warning("rewards.%s: %s", v.Name, problem)
	}
}

// warnOfObservations finds observed values that are constant, huge, or of very different size.
func (r *Report) warnOfObservations(cfg *configs.Config) {
	var constant []string
	least, most := Values{RMS: math.Inf(1)}, Values{}
	for i, v := range r.Trial.Observed {
		if v.Low == v.High {
			if !r.commands(v.Name) {
				constant = append(constant, fmt.Sprintf("%s (%.3g)", v.Name, v.Low))
			}
		} else if i < r.Groups[0].Size {
			if v.RMS < least.RMS {
				least = v
			}
			if v.RMS > most.RMS {
				most = v
			}
		}
	}
	if constant != nil {
		r.warning("observations: always the same: %s", few(constant, 6, 5))
	}
	switch {
	case most.RMS > huge:
		r.warning("observations: %s is as large as %.3g; a scale or a clip helps", most.Name,
			math.Max(-most.Low, most.High))
	case most.RMS > uneven*least.RMS && !cfg.Training.NormaliseObservations:
		r.warning("observations: %s (%.2g) and %s (%.2g) are of very different size; a scale, or "+
			"training.normalise_observations, helps", most.Name, most.RMS, least.Name, least.RMS)
	}
}

// commands reports whether an observed value is part of a command, which may be constant.
func (r *Report) commands(name string) bool {
	return slices.ContainsFunc(r.Terms, func(t SectionEntry) bool {
		return t.Section == "commands" && strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], t.Name+"_")
	})
}
