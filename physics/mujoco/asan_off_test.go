//go:build !asan

package mujoco

const mallocRefuses = true
