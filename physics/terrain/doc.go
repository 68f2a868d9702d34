// Package terrain makes rough ground from a seed, as data: a grid of patches, rows of rising difficulty by columns of
// kinds. A patch consists of boxes along the axes, where ground has steps, or is a field of heights on a grid of its
// own. An engine turns both into geoms; [Terrain.Height] and [Terrain.Ray] know the same ground without it.
//
// This package is plain Go, so that configurations, sensors and tasks may import it. Units are m and rad; z is up, and
// the grid's middle is the world's origin. Rows follow one another along x, columns along y.
package terrain
