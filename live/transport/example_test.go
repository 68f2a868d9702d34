package transport_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/live/transport"
)

// Addresses that other machines can reach want tokens and TLS.
func ExampleLoopback() {
	fmt.Println(transport.Loopback("127.0.0.1:8080"), transport.Loopback("0.0.0.0:8080"))
	// Output: true false
}
