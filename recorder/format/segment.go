package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Segment is what has a value in the pictures of a segmentation.
type Segment struct {
	Value int    `json:"value"`           // 1 to 65,535
	Class string `json:"class,omitempty"` // name of a class of geoms
	Geom  string `json:"geom,omitempty"`  // name of a geom or a flex
	Body  string `json:"body,omitempty"`  // name of the body of a geom, or of a body
}

// ValueOf returns the value of a label, which is at least -1, for nothing.
func ValueOf(label int32) int { return int(label) + 1 }

// String names what the segment is: its class, geom or body.
func (s Segment) String() string { return cmp.Or(s.Class, s.Geom, s.Body) }

// SetSegments says what has the values of the pictures of a segmentation: each that can be stored, in ascending order. A
// thing is of a kind: "geom", "body" or "class".
func (c *Column) SetSegments(kind string, shown []physics.Segment) {
	c.Description = "number of the " + kind + " and 1; 0 for nothing"
	c.Segments = nil
	for _, s := range shown {
		if value := ValueOf(s.Label); value <= math.MaxUint16 {
			c.Segments = append(c.Segments, Segment{Value: value, Class: s.Class, Geom: s.Name, Body: s.Body})
		}
	}
	slices.SortFunc(c.Segments, func(a, b Segment) int { return cmp.Compare(a.Value, b.Value) })
}

// segmentsText returns the segments as the metadata of an Arrow field have them, "" for none.
func (c *Column) segmentsText() string {
	if c.Segments == nil {
		return ""
	}
	text, err := json.Marshal(c.Segments)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return string(text)
}

func (c *Column) checkSegments() error {
	if len(c.Segments) > 0 && (c.Width == 0 || c.Kind != Uint16) {
		return fmt.Errorf("it has segments, want them of pictures of uint16 alone")
	}
	last := 0
	for _, s := range c.Segments {
		if s.Value <= last || s.Value > math.MaxUint16 {
			return fmt.Errorf("its segments have the value %d after %d, want values from 1 to %d in ascending order",
				s.Value, last, math.MaxUint16)
		}
		last = s.Value
	}
	return nil
}
