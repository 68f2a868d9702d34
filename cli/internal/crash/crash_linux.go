package crash

// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
// #cgo LDFLAGS: -Wl,-wrap,cgoTraceback -Wl,-wrap,cgoSymbolizer -Wl,-wrap,cgoSymbolizerInit
import "C"

import _ "github.com/ianlancetaylor/cgosymbolizer" // registers its functions with the runtime
