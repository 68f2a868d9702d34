// Package worlds records the worlds of a sim: it fills the tables of a dataset when their bindings fire and when
// episodes end.
//
// It imports recorder, recorder/format, sim, sensors, physics and runners. Package env imports it.
package worlds
