// Package format says what a dataset is made of: tables and their columns, polyrhythm.json, recovered.json, and the
// layout of a row in memory, which writing, exporting and recovering share.
//
// It knows neither streams nor journals; see recorder/internal/folder for those. It imports Arrow and, for the words of
// what cameras see, package physics.
package format
