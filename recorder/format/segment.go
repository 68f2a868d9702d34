package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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

// SortSegments returns those of the segments that a picture can show, in ascending order of their values.
func SortSegments(segments []Segment) []Segment {
	segments = slices.DeleteFunc(segments, func(s Segment) bool { return s.Value > math.MaxUint16 })
	slices.SortFunc(segments, func(a, b Segment) int { return cmp.Compare(a.Value, b.Value) })
	return segments
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
