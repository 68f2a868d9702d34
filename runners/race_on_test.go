//go:build race

package runners

const raceDetector = true
