// Package picture draws an episode of a dataset: all that was sampled, of every rate, over one axis of time, with the sync
// points marked. It is apart from recorder so that recording does not depend on a plotting library.
package picture
