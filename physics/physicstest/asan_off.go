//go:build !asan

package physicstest

const countAllocations = true
