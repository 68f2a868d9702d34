// Package quadruped is our own robot, a trunk on four legs of three motors, and
// its task: to walk at a commanded velocity.
//
// The agent sees what a robot would: a gyro, an orientation filter and joint
// encoders, through sensor channels with the noise and latency that the
// configuration gives them, besides the command, its own last action and the
// clock of its gait. The reward is computed from the true state.
//
// An action is an offset of the twelve motors' target angles from the home pose.
package quadruped
