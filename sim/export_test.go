package sim

import "slices"

// Altered is a snapshot with one byte of its worlds changed.
func Altered(s *Snapshot, at int, change byte) *Snapshot {
	altered := &Snapshot{fits: s.fits}
	for i, record := range s.worlds {
		record = slices.Clone(record)
		if n := uint(at) % uint(len(s.worlds)*len(record)); int(n)/len(record) == i {
			record[int(n)%len(record)] ^= change
		}
		altered.worlds = append(altered.worlds, record)
	}
	return altered
}
