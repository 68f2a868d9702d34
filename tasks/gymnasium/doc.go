// Package gymnasium restates Gymnasium's MuJoCo v5 tasks with the same numbers:
// from the same state and under the same actions, observation, reward and
// termination are those of Gymnasium 1.4.0 on the same engine. The models are
// Gymnasium's own files, which the set-up unpacks; they are not part of this
// project.
package gymnasium
