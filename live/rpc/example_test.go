package rpc_test

import (
	"context"
	"fmt"
	"log"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/polyrhythm-rl/polyrhythm/live/rpc"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// What a run of train serve is.
func Example() {
	connection, err := grpc.NewClient("127.0.0.1:8081", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	description, err := rpc.NewLiveClient(connection).Describe(context.Background(), &wire.DescribeRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(description.GetTask())
}
