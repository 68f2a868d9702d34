// Package scene describes a Box2D scene as data: what package box2d compiles and what a task fills in for each
// episode. It is plain Go without C, so tasks may import it.
//
// Units are Box2D's: metres, kilograms, seconds, radians; x points right, y up. Box2D calculates in float32, so every
// number is rounded to float32 when the scene is compiled.
//
// # The state row
//
// A row of a compiled scene has these fields; NAME is a body's or actuator's.
// All but "engine" may be written from outside, between calls.
//
//	control        the values of all actuators, in their order
//	actuator/NAME  those of one
//	gravity        2: x, y in m/s²
//	ground         the static shapes of this episode, see [Ground]
//	body/NAME      6: x, y (the body's origin), angle, vx, vy (of its centre
//	               of mass), angular velocity; b2Body's GetPosition, GetAngle,
//	               GetLinearVelocity, GetAngularVelocity
//	awake/NAME     1: 1 or 0, b2Body's IsAwake
//	contact/NAME   1: 1 if the last contact event of the body was a begin, 0 if it
//	               was an end or there was none: also 0 when one of two contacts
//	               ended and the other is left, as with a listener that sets a flag
//	touched/NAME   1: the contacts of the body that have begun since the episode
//	               did, however short, counted up to 1e6
//	engine         the rest that decides the future; all zeros is a world in
//	               which nothing has happened yet
//
// A body whose pose is written is placed there as by b2Body::SetTransform; a velocity other than 0 wakes it. The
// ground may be written only into a row that has not been stepped since it was an initial state.
//
// # Probes and derived values
//
// A compiled scene has these sources. The Motion ones may also be asked for as derived values, which then hold the
// value after the last substep, at the new state.
//
//	body/NAME          Motion, 6: as in the row
//	pose               Motion: x, y and angle of each body; a picture also needs the
//	                   field "ground", which stays in one episode
//	awake/NAME         Motion, 1: as in the row; likewise contact/NAME, touched/NAME
//	joint/NAME         Motion, 2: angle, speed; b2RevoluteJoint's GetJointAngle, GetJointSpeed
//	ray/NAME           Motion, 1: how far a ray reaches, see [Ray]
//	rays               Motion: all rays, in their order
//	joint/NAME/torque  Force, 1: what the motor exerted in the substep, N·m
//	force/NAME         Force, 1: the normal forces of the body's contacts in the substep, added up, N
//
// # Constants
//
// "body_mass" and "body_inertia" (about the centre of mass) have a value for
// each body, "body_center" (the centre of mass in body coordinates) two.
package scene
