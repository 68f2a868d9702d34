// Package spans gives the decisions of a live run to OpenTelemetry, as a file that its
// collector reads or over the network.
package spans
