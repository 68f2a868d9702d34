// Package recovery makes a loadable dataset of what a killed run left behind, and says what is missing.
//
// It imports recorder, recorder/format, recorder/internal/folder and internal/disk. The commands import it.
package recovery
