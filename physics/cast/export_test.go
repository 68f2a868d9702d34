package cast

// Assets returns how many times each mesh and each scene's textures that open casters share are in them.
func Assets() map[[32]byte]int {
	assets.Lock()
	defer assets.Unlock()
	counts := map[[32]byte]int{}
	for key, a := range assets.known {
		counts[key] = a.casters
	}
	return counts
}
