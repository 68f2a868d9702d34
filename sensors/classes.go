package sensors

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Class is a set of geoms that a segmentation shows by one number. Its patterns are regular expressions of whole names.
type Class struct {
	Name   string   `yaml:"name"`
	Geoms  []string `yaml:"geoms,omitempty"`  // patterns of geoms and flexes
	Bodies []string `yaml:"bodies,omitempty"` // patterns of bodies, whose geoms count
}

// The instances of a segmentation.
const (
	GeomInstances = "geom" // each geom has its number
	BodyInstances = "body" // each geom has the number of its body
)

// String describes the class for the metadata of a dataset and for what a snapshot fits.
func (c Class) String() string {
	return fmt.Sprintf("%s (geoms %q, bodies %q)", c.Name, c.Geoms, c.Bodies)
}

// checkClasses reports the first problem of what a segmentation shows in place of geoms.
func (c *Camera) checkClasses(b *bounds.Check) {
	b.OneOf("instances", c.Instances, "", GeomInstances, BodyInstances)
	bodies := c.Instances == BodyInstances
	if (bodies || len(c.Classes) > 0) && !slices.Contains(c.Kinds, physics.Segmentation) {
		b.Fail("kinds are %s with classes or instances, want segmentation among them", strings.Join(c.Kinds, ", "))
	}
	if bodies && len(c.Classes) > 0 {
		b.Fail("instances is %s with classes, want one of the two: another channel can have the other", c.Instances)
	}
	for i := range c.Classes {
		class, key := &c.Classes[i], fmt.Sprintf("classes[%d]", i)
		switch {
		case class.Name == "":
			b.Fail("%s.name: not given, want the name of a class", key)
		case slices.ContainsFunc(c.Classes[:i], func(o Class) bool { return o.Name == class.Name }):
			b.Fail("%s.name is %q, the name of an earlier class, want another", key, class.Name)
		case len(class.Geoms)+len(class.Bodies) == 0:
			b.Fail("%s has neither geoms nor bodies, want patterns of names", key)
		}
		for k, list := range [][]string{class.Geoms, class.Bodies} {
			for n, text := range list {
				if _, err := bounds.Pattern(text); err != nil {
					b.Fail("%s.%s[%d] is %q, want a regular expression: %w", key, classKeys[k], n, text, err)
				}
			}
		}
	}
}

// classKeys are the keys of patterns of a class, and classKinds what they match.
var (
	classKeys  = [...]string{"geoms", "bodies"}
	classKinds = [...]string{"geom", "body"}
)

// Labels are what a segmentation shows in place of each label of a caster, -1 for nothing. Nil are the caster's own.
type Labels []int32

// Of returns what is shown in place of a label of the caster, or of -1, for nothing.
func (l Labels) Of(label int32) int32 {
	if l == nil || label < 0 {
		return label
	}
	return l[label]
}

// Relabel returns what the segmentation of the camera shows in place of what a caster's may show, and what each label
// is. It returns an error if a pattern of a class matches nothing.
func (c *Camera) Relabel(segments []physics.Segment) (labels Labels, shown []physics.Segment, err error) {
	if c.Instances != BodyInstances && len(c.Classes) == 0 {
		return nil, segments, nil
	}
	for _, s := range segments {
		for int(s.Label) >= len(labels) {
			labels = append(labels, -1)
		}
	}
	if c.Instances == BodyInstances {
		for _, s := range segments {
			labels[s.Label] = s.BodyLabel
			body := physics.Segment{Label: s.BodyLabel, BodyLabel: s.BodyLabel, Body: s.Body}
			if s.Body == "" {
				body.Name = s.Name
			}
			if !slices.Contains(shown, body) {
				shown = append(shown, body)
			}
		}
		return labels, shown, nil
	}
	for i := range c.Classes {
		class, key := &c.Classes[i], fmt.Sprintf("classes[%d]", i)
		selected, err := class.selects(key, segments)
		if err != nil {
			return nil, nil, err
		}
		for _, j := range selected {
			if label := segments[j].Label; labels[label] < 0 {
				labels[label] = int32(i)
			}
		}
		shown = append(shown, physics.Segment{Label: int32(i), Class: class.Name})
	}
	return labels, shown, nil
}

// selects returns the indices of the segments that are in the class. Each of its patterns must match one. The error begins
// with the key of the class.
func (c *Class) selects(key string, segments []physics.Segment) (selected []int, err error) {
	for k, list := range [][]string{c.Geoms, c.Bodies} {
		var names []string
		for _, s := range segments {
			names = append(names, []string{s.Name, s.Body}[k])
		}
		for n, text := range list {
			matched, err := bounds.Matches(classKinds[k]+" that cameras see", text, names)
			if err != nil {
				return nil, fmt.Errorf("%s.%s[%d]%w", key, classKeys[k], n, err)
			}
			selected = append(selected, matched...)
		}
	}
	return selected, nil
}

// Labelled returns what has a number of its own in a segmentation: "class", "body" or "geom".
func (c *Camera) Labelled() string {
	if len(c.Classes) > 0 {
		return "class"
	}
	return cmp.Or(c.Instances, GeomInstances)
}
