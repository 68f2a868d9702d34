package box2d

// The flags for Box2D, here and nowhere else: the system's package.

// #cgo CXXFLAGS: -std=c++17 -O2 -Wall -Wextra
// #cgo LDFLAGS: -lbox2d
import "C"
