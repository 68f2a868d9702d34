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

// Resized is a snapshot with another number of worlds, but says the same of what it fits.
func Resized(s *Snapshot, worlds int) *Snapshot {
	resized := &Snapshot{fits: s.fits}
	for i := range worlds {
		resized.worlds = append(resized.worlds, s.worlds[i%len(s.worlds)])
	}
	return resized
}

// Hold begins to read the newest beat and does not end until release is called.
func Hold(w *Watch) (beat *Latched, release func()) {
	s := w.newest.Load()
	s.readers.Add(1)
	return &s.beat, func() { s.readers.Add(-1) }
}

// WithoutObserved is a snapshot without the samples of Config.Probes.
func WithoutObserved(s *Snapshot) *Snapshot { return &Snapshot{fits: s.fits, worlds: s.worlds} }
