//go:build asan

package physicstest

// The address sanitizer puts variables on the heap that escape analysis keeps on the stack, so
// allocations cannot be counted, and ends the process at an absurd one, which malloc would refuse.
func init() { AddressSanitizer = true }
