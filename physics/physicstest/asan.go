//go:build asan

package physicstest

// The address sanitizer puts variables on the heap that escape analysis keeps on the stack, so
// allocations cannot be counted.
func init() { AddressSanitizer = true }
