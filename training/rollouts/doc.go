// Package rollouts has policies act in worlds: [Rollout] records a dataset, [SliceRollout] a part of one in segments,
// [Merge] makes one dataset of such parts, [Regenerate] makes a dataset again from its recipe, [Evaluate] measures a trained
// policy, and [Play] drives worlds by the wall clock.
//
// No call changes its configuration. Each call opens worlds of its own and closes them before it returns. Calls may run at
// the same time on different folders. An error that the caller can correct is of type [env.ConfigError].
package rollouts
