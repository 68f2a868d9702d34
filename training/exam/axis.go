package exam

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Axis is a disturbance that has a name of its own; any other axis is a key of the configuration.
type Axis struct {
	Name string
	Unit string // of its values; "": a factor or a coefficient
	Text string // what it does

	edits func(c *configs.Config, value float64, text string) (keys, values []string, err error)
}

// Axes are the named axes, for tasks that a configuration describes. Their values have the unit behind the number, or none.
var Axes = []Axis{
	{"push", "N", "force on the base, each component drawn from −value to value, for 0.2 s every 2 s; in episodes of less " +
		"than 8 s every quarter of one, and for half of that at most", push},
	{"friction", "", "sliding friction of all geoms", friction},
	{"mass", "", "factor of the masses of all bodies", mass},
	{"latency.sensors", "ms", "latency of all channels of sensors", sensorLatency},
	{"latency.action", "", "control steps for which each action waits before it is in force", actionDelay},
}

// named returns the axis that has a name, or else the zero value.
func named(name string) (a Axis) {
	if i := slices.IndexFunc(Axes, func(a Axis) bool { return a.Name == name }); i >= 0 {
		a = Axes[i]
	}
	return a
}

// editsOf returns the overrides, as of [configs.Config.With], that give an axis a value.
func editsOf(c *configs.Config, name, text string) (keys, values []string, err error) {
	a := named(name)
	if a.Name == "" {
		var names []string
		for _, a := range Axes {
			names = append(names, a.Name)
		}
		if meant := spell.Meant(name, names); meant != "" && !strings.Contains(name, ".") && !topLevel(c, name) {
			return nil, nil, fmt.Errorf("there is no such key and no such axis; did you mean %s?", meant)
		}
		return []string{name}, []string{text}, nil
	}
	if !c.Described() {
		return nil, nil, fmt.Errorf("%s is no task that a configuration describes, want a key of the configuration as an axis",
			c.Task.Name)
	}
	value, err := axisNumber(name, text)
	if err != nil || !(value >= 0) {
		return nil, nil, fmt.Errorf("want a number of at least 0, such as 1%s", a.Unit)
	}
	return a.edits(c, value, strconv.FormatFloat(value, 'g', -1, 64))
}

// topLevel reports whether a configuration has a key.
func topLevel(c *configs.Config, key string) bool {
	return strings.Contains("\n"+string(c.YAML()), "\n"+key+":")
}

// entry returns the override that adds an event of the exam.
func entry(name, text string) (keys, values []string, err error) {
	return []string{"events.exam_" + name}, []string{text}, nil
}

func push(c *configs.Config, value float64, _ string) (keys, values []string, err error) {
	if value == 0 {
		return nil, nil, nil
	}
	f, interval := strconv.FormatFloat(value, 'g', -1, 64), 2*time.Second
	if c.Episode != nil {
		interval = max(min(interval, *c.Episode/4).Truncate(time.Millisecond), 2*time.Millisecond)
	}
	length := min(200*time.Millisecond, interval/2)
	return entry("push", fmt.Sprintf("{term: apply_body_impulse, mode: interval, interval: [%v, %[1]v], duration: [%v, %[2]v], "+
		"force_range: [-%s, %[3]s]}", interval, length, f))
}

func friction(_ *configs.Config, _ float64, text string) (keys, values []string, err error) {
	return entry("friction", fmt.Sprintf("{term: geom_friction, mode: reset, geoms: [\".*\"], operation: abs, ranges: [%s, %s]}",
		text, text))
}

func mass(_ *configs.Config, _ float64, text string) (keys, values []string, err error) {
	return entry("mass", fmt.Sprintf("{term: body_mass, mode: reset, bodies: [\".*\"], operation: scale, ranges: [%s, %s]}", text,
		text))
}

func sensorLatency(c *configs.Config, value float64, _ string) (keys, values []string, err error) {
	if len(c.Sensors) == 0 {
		return nil, nil, fmt.Errorf("the configuration has no sensors, want some")
	}
	for _, s := range c.Sensors {
		keys = append(keys, "sensors."+s.Name+".latency")
		values = append(values, time.Duration(value*float64(time.Millisecond)).String())
	}
	return keys, values, nil
}

func actionDelay(c *configs.Config, _ float64, text string) (keys, values []string, err error) {
	for _, a := range c.Actions {
		name, ok := a["name"]
		if !ok {
			name = a["term"]
		}
		keys = append(keys, fmt.Sprintf("actions.%v.delay", name))
		values = append(values, fmt.Sprintf("[%s, %s]", text, text))
	}
	return keys, values, nil
}
