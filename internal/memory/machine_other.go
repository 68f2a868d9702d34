//go:build !linux

package memory

// addressLimit is not known.
func addressLimit() (bytes int64, ok bool) { return 0, false }

// machine is not known.
func machine() (bytes int64, ok bool) { return 0, false }
