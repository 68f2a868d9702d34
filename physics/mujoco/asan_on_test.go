//go:build asan

package mujoco

// The address sanitizer ends the process at an absurd allocation, which malloc
// would refuse.
const mallocRefuses = false
