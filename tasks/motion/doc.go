// Package motion holds reference motions: what a robot is to imitate. A [Clip] is one at even times, with the joints
// and the bodies of the robot. It comes from one of four kinds of files ([Load]), or from recorded positions ([Track]):
//
//	.npz   the six arrays of mjlab, with the names of joints and bodies and the rate if the file has them
//	.csv   a pose of the base and the positions of the joints in each line, as mjlab's csv_to_npz takes them
//	.yaml  keyframes: what the base, some bodies and some joints do; inverse kinematics finds the rest
//
// A track becomes a clip in two steps. [Track.Resample] interpolates it at the exact instants of another rate, and
// [Robot.Clip] works out velocities by differences and places the bodies by the physics engine's forward kinematics.
package motion
