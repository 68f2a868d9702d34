// Package wire holds the messages of live runs, generated from live.proto, and the [Decoder] of their frames. To
// generate the messages again, with protoc of the Python package grpcio-tools 1.76.0 and the plug-ins protoc-gen-go
// 1.36.12 and protoc-gen-go-grpc 1.6.2 in the PATH:
//
//	go generate ./live/wire
package wire

//go:generate python3 -m grpc_tools.protoc -I../.. --go_out=../.. --go_opt=paths=source_relative live/wire/live.proto
//go:generate go run descriptor.go
