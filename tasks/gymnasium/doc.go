// Package gymnasium reimplements Gymnasium's MuJoCo v5 and Box2D tasks with the same numbers: from the same state and
// under the same actions, observation, reward and termination are those of Gymnasium 1.4.0. MuJoCo's tasks run on the
// same engine, Box2D's on 2.4.1 instead of 2.3, whose contacts differ a little: docs/evidence/parity.md has the
// differences. The MuJoCo models are Gymnasium's own files, which the set-up unpacks; they are not part of this
// project. The Box2D scenes are data made here.
package gymnasium
