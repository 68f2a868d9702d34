// Package pointmass is the smallest physics engine: one point mass in the plane, pushed by a control force, in pure
// Go. It passes the same conformance suite as the real engines and lets the simulation be tested without C.
//
// Position in metres, velocity in m/s, the control is a force in newtons on a mass of 1 kg. A substep is
// semi-implicit Euler: the velocity takes the acceleration first, then the position takes the new velocity.
//
// State row: position (2), velocity (2), control (2). Probes: "position" and "velocity" (Motion), "acceleration"
// (Force). Derived values: "acceleration" (2), in m/s², and "power" (1), in watts, that the force gave as the last
// substep began. The engine raises an error when a coordinate leaves ±[Bound], so that tests can provoke one.
package pointmass
