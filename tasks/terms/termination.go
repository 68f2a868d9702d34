package terms

import (
	"math"
	"slices"
)

// terminationTerms are the terms of terminations, in the order of the page.
var terminationTerms = []Term{
	term("time_out", timeOut, struct{}{}),
	term("bad_orientation", badOrientation, orientationParameters{Limit: 1}),
	term("root_height_below_minimum", rootHeightBelowMinimum, minimumHeightParameters{}),
	term("terrain_out_of_bounds", terrainOutOfBounds, boundsParameters{DistanceBuffer: 3}),
	term("terrain_edge_reached", terrainEdgeReached, edgeParameters{ThresholdFraction: 0.95}),
	term("illegal_contact", illegalContact, touchParameters{Threshold: 1}),
	term("joint_pos_out_of_limit", jointPosOutOfLimit, limitParameters{SoftLimitFactor: 1}),
	term("nan_detection", nanDetection, struct{}{}),
	term("bad_anchor_pos", badAnchorPos, motionThresholdParameters{MotionTerm, 0.25}),
	term("bad_anchor_pos_z_only", badAnchorPosZOnly, motionThresholdParameters{MotionTerm, 0.25}),
	term("bad_anchor_ori", badAnchorOri, motionThresholdParameters{MotionTerm, 0.8}),
	term("bad_motion_body_pos", badMotionBodyPos,
		motionBodyThresholdParameters{motionThresholdParameters: motionThresholdParameters{MotionTerm, 0.25}}),
	term("bad_motion_body_pos_z_only", badMotionBodyPosZOnly,
		motionBodyThresholdParameters{motionThresholdParameters: motionThresholdParameters{MotionTerm, 0.25}}),
}

// timeOut ends the episode after the time that the key episode gives. It always truncates.
func timeOut(*Binder, *struct{}) TerminationFunc { return nil }

type orientationParameters struct {
	// Limit is the angle between the base's z axis and the vertical, rad.
	Limit float64 `yaml:"limit" want:"above 0..3.141592653589793"`
}

// badOrientation ends the episode when the base leans too far:
//
//	acos(-g_z) > limit
//
// g is the projected gravity. Frame: base. The same in both peers, where the parameter is limit_angle.
func badOrientation(b *Binder, p *orientationParameters) TerminationFunc {
	gravity := b.Quantity("projected_gravity")
	cos := math.Cos(p.Limit)
	return func(v *View) bool { return -v.Values(gravity)[2] < cos }
}

type minimumHeightParameters struct {
	// MinimumHeight is the lowest height of the origin of the base's frame, m above the ground.
	MinimumHeight float64 `yaml:"minimum_height" want:"-1e9..1e9"`
}

// rootHeightBelowMinimum ends the episode when the base is too low:
//
//	z < minimum_height
//
// z is the height above the ground. Unit m. The same in both peers, but for the ground, which is z = 0 there.
func rootHeightBelowMinimum(b *Binder, p *minimumHeightParameters) TerminationFunc {
	height := b.Quantity("base_height")
	return func(v *View) bool { return v.Scalar(height) < p.MinimumHeight }
}

type boundsParameters struct {
	// DistanceBuffer is the distance from the edge of the terrain, its border included, m.
	DistanceBuffer float64 `yaml:"distance_buffer" want:"0..1e9"`
}

// terrainOutOfBounds ends the episode when the base is near the edge of the terrain:
//
//	|x| > size_x·rows / 2 + border_width - distance_buffer, or likewise for y and columns
//
// Unit m. Frame: world. The same in both peers (out_of_terrain_bounds in mjlab), where it truncates; here that is said
// by truncate: true.
func terrainOutOfBounds(b *Binder, p *boundsParameters) TerminationFunc {
	ground := b.needGround()
	position := b.Quantity("base_pos")
	return func(v *View) bool {
		place := v.Values(position)
		return !ground.Inside(place[0], place[1], p.DistanceBuffer)
	}
}

type edgeParameters struct {
	// ThresholdFraction is the part of half the length of a patch that the base may go from its start, of 1.
	ThresholdFraction float64 `yaml:"threshold_fraction" want:"above 0..1e3"`
}

// terrainEdgeReached ends the episode when the base leaves the patch on which it began:
//
//	|x - x_patch| > ½·size_x·threshold_fraction, or likewise for y
//
// x_patch is the start of the patch. Unit m. Frame: world. The same in mjlab, where it truncates and leaves out two
// steps; here the first is said by truncate: true.
func terrainEdgeReached(b *Binder, p *edgeParameters) TerminationFunc {
	ground := b.needGround()
	position := b.Quantity("base_pos")
	return func(v *View) bool {
		place, patch := v.Values(position), v.patch(ground)
		return math.Abs(place[0]-patch.Origin[0]) > ground.Size[0]/2*p.ThresholdFraction ||
			math.Abs(place[1]-patch.Origin[1]) > ground.Size[1]/2*p.ThresholdFraction
	}
}

// illegalContact ends the episode when one of the bodies touches something:
//
//	max |F| > threshold
//
// F is the net contact force on a body, or that between the sets of a contact of the scene; the maximum is over the
// bodies and the substeps of the control step. Unit N.
// Isaac Lab has the same, over the history of its contact sensor; in mjlab the threshold is 10 N unless it is given.
func illegalContact(b *Binder, p *touchParameters) TerminationFunc {
	peaks := b.contactPeaks(p)
	return func(v *View) bool { return slices.Max(v.Values(peaks)) > p.Threshold }
}

// jointPosOutOfLimit ends the episode when a joint is beyond its limits:
//
//	q < low or q > high
//
// Unit rad or m. Isaac Lab has the same, see joint_pos_limits for the factor; mjlab has no such term.
func jointPosOutOfLimit(b *Binder, p *limitParameters) TerminationFunc {
	joints := b.Joints("joints", p.Joints)
	low, high := b.softLimits(joints, p.SoftLimitFactor)
	position := b.JointValues("joint_pos", joints)
	return func(v *View) bool {
		for i, q := range v.Values(position) {
			if q < low[i] || q > high[i] {
				return true
			}
		}
		return false
	}
}

// nanDetection ends the episode when a value of the state is not a finite number. mjlab has the same, for its
// simulation can go on with such values. Here the engine reports them: the world's episode ends with a fault,
// truncated, in the control step in which they appear, whether this term is there or not.
func nanDetection(b *Binder, _ *struct{}) TerminationFunc {
	return func(v *View) bool {
		return slices.ContainsFunc(v.State(), func(x float64) bool { return x-x != 0 })
	}
}
