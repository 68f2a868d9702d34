// Package rpc is the gRPC service of live runs, generated from service.proto; package
// live/wire has its messages. To generate it again, with the tools that live/wire names:
//
//	go generate ./live/rpc
package rpc

//go:generate -command protoc python3 -m grpc_tools.protoc -I../..
//go:generate protoc --go-grpc_out=../.. --go-grpc_opt=paths=source_relative live/rpc/service.proto
