// Package plot draws an episode of a dataset: the samples of every rate over one time axis, with the sync
// points marked. It is a package of its own so that recording does not depend on a plotting library.
package plot
