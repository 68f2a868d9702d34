// Package render makes clips of recorded episodes: it reads the poses of an episode from a dataset, draws them with
// the engine's renderer, and writes an animated GIF, an MP4 file (by ffmpeg) or a folder of PNG files. What is drawn
// is what was recorded: nothing is simulated.
package render
