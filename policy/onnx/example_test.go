package onnx_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/policy/onnx"
)

// A policy becomes a model for any runtime that reads ONNX.
func ExampleWrite() {
	n := &policy.Network{
		Header: policy.Header{Task: "pendulum", Limit: 10, Activation: policy.Tanh, Sizes: []int{1, 1}},
		Mean:   []float64{0}, Scale: []float64{1},
		Layers: []policy.Layer{{Weights: []float32{-2}, Biases: []float32{0}}},
		Low:    []float32{-1}, High: []float32{1},
	}
	var model bytes.Buffer
	if err := onnx.Write(&model, n); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{onnx.Input, onnx.Output, "Gemm"} {
		fmt.Println(name, bytes.Contains(model.Bytes(), []byte(name)))
	}
	// Output:
	// observation true
	// action true
	// Gemm true
}
