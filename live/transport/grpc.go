package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec "proto"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/rpc"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// GRPC serves a run by gRPC. A token comes in the metadata, as "authorization: Bearer
// TOKEN".
type GRPC struct {
	rpc.UnimplementedLiveServer
	run     *live.Server
	options Options
	server  *grpc.Server
}

// NewGRPC returns a server of a run.
func NewGRPC(run *live.Server, o Options) *GRPC {
	o.Log = bounded(o.Log, time.Now)
	g := &GRPC{run: run, options: o}
	set := []grpc.ServerOption{
		grpc.ForceServerCodecV2(codec{encoding.GetCodecV2("proto")}),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(16), // of a connection
		grpc.ConnectionTimeout(o.helloTimeout()),
		grpc.MaxHeaderListSize(16 << 10),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingEvery, Timeout: stallTimeout, MaxConnectionIdle: o.idleTimeout()}),
		// Before a message is read, so that who has no token makes the server keep none.
		grpc.InTapHandle(func(ctx context.Context, _ *tap.Info) (context.Context, error) {
			_, err := g.role(ctx)
			return ctx, err
		}),
	}
	if o.TLS != nil {
		set = append(set, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	g.server = grpc.NewServer(set...)
	rpc.RegisterLiveServer(g.server, g)
	return g
}

// Serve answers until Close. It closes the listener.
func (g *GRPC) Serve(l net.Listener) error {
	return g.server.Serve(&limited{Listener: l, options: &g.options})
}

// Close ends all connections. If the run has ended, clients are told so first.
func (g *GRPC) Close() {
	told := time.AfterFunc(closeWithin, g.server.Stop)
	defer told.Stop()
	g.server.GracefulStop()
}

// role returns the role of a caller.
func (g *GRPC) role(ctx context.Context) (live.Role, error) {
	secret := ""
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		if values := md.Get("authorization"); len(values) > 0 {
			secret = strings.TrimPrefix(values[0], "Bearer ")
		}
	}
	role, err := g.options.Access.role(secret)
	if err != nil {
		if p, ok := peer.FromContext(ctx); ok {
			g.options.log("refused " + p.Addr.String() + ": " + err.Error())
		}
		return 0, status.Error(codes.Unauthenticated, err.Error())
	}
	return role, nil
}

// Describe implements the service.
func (g *GRPC) Describe(context.Context, *wire.DescribeRequest) (*wire.Description, error) {
	return g.run.Description(), nil
}

// Join implements the service.
func (g *GRPC) Join(request *wire.JoinRequest, stream grpc.ServerStreamingServer[wire.Update]) error {
	role, err := g.role(stream.Context())
	if err != nil {
		return err
	}
	c, err := g.run.Join(live.JoinOptions{Name: request.GetName(), Role: role, Session: request.GetSession(), After: request.GetAfter()})
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	defer c.Close()
	if request.GetPongs() {
		go g.options.watch(stream.Context(), c, c.Ping)
	}
	return sendAll(stream.Context(), c, func() error {
		data, err := c.Next(stream.Context())
		if err == nil {
			err = stream.SendMsg(encoded(data))
		}
		return err
	})
}

// sendAll calls send until it fails or what is sent has ended, and returns why. A client that
// does not read blocks send, so it runs on a goroutine that ends with the stream, which
// ends when the method of the service returns.
func sendAll(ctx context.Context, sent interface {
	Ended() <-chan struct{}
	Err() error
}, send func() error) (err error) {
	failed := make(chan error, 1)
	go func() {
		for {
			if err := send(); err != nil {
				failed <- err
				return
			}
		}
	}()
	select {
	case err = <-failed:
	case <-sent.Ended():
		err = sent.Err()
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	switch {
	case errors.Is(err, live.ErrSlow): // rpc.Follower joins again
		return status.Error(codes.ResourceExhausted, err.Error())
	case errors.Is(err, live.ErrMoved), errors.Is(err, live.ErrClosed):
		return status.Error(codes.Aborted, err.Error())
	}
	return err
}

// Pong implements the service.
func (g *GRPC) Pong(_ context.Context, r *wire.PongRequest) (*wire.PongReply, error) {
	if err := g.run.Pong(r.GetSession(), r.GetId()); err != nil {
		return nil, status.Error(codes.FailedPrecondition, err.Error())
	}
	return &wire.PongReply{}, nil
}

// Submit implements the service.
func (g *GRPC) Submit(stream grpc.BidiStreamingServer[wire.Intent, wire.Ack]) error {
	var session []byte
	for {
		in, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(in.GetSession()) > 0 {
			session = in.GetSession()
		}
		number, err := g.run.SubmitAs(session, in)
		if err := stream.Send(live.Ack(in, number, err)); err != nil {
			return err
		}
	}
}

// Decide implements the service.
func (g *GRPC) Decide(stream grpc.BidiStreamingServer[wire.Intent, wire.Update]) error {
	mind := g.run.NewMind()
	defer mind.Close()
	var sending sync.Mutex
	send := func(u *wire.Update) error {
		sending.Lock()
		defer sending.Unlock()
		return stream.Send(u)
	}
	received := make(chan error, 1)
	go func() { // ends with the stream
		var session []byte
		for {
			in, err := stream.Recv()
			if err != nil {
				received <- err
				return
			}
			if len(in.GetSession()) > 0 {
				session = in.GetSession()
			}
			number, err := g.run.SubmitFor(session, in, mind)
			if err := send(&wire.Update{Kind: &wire.Update_Ack{Ack: live.Ack(in, number, err)}}); err != nil {
				received <- err
				return
			}
		}
	}()
	failed := make(chan error, 1)
	go func() { // a client that does not read blocks it until the stream ends
		for {
			d, err := mind.Next(stream.Context())
			if err == nil {
				err = send(&wire.Update{Kind: &wire.Update_Decision{Decision: d}})
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	select {
	case err := <-received:
		if err == io.EOF {
			return nil
		}
		return err
	case err := <-failed:
		if errors.Is(err, live.ErrClosed) {
			return status.Error(codes.Aborted, err.Error())
		}
		return err
	case <-stream.Context().Done():
		return status.FromContextError(stream.Context().Err()).Err()
	}
}

// Capture implements the service.
func (g *GRPC) Capture(request *wire.CaptureRequest, stream grpc.ServerStreamingServer[wire.Captures]) error {
	c, err := g.run.Capture(request)
	if errors.Is(err, live.ErrClosed) {
		return status.Error(codes.Unavailable, err.Error())
	}
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	defer c.Close()
	if err := stream.SendHeader(metadata.Pairs("capture", "begun")); err != nil { // so that the client knows
		return err
	}
	return sendAll(stream.Context(), c, func() error {
		captures, err := c.Next(stream.Context())
		if err == nil {
			err = stream.Send(captures)
		}
		return err
	})
}

// Step implements the service.
func (g *GRPC) Step(ctx context.Context, r *wire.StepRequest) (*wire.StepReply, error) {
	reply, err := g.run.Step(ctx, r.GetSession(), r.GetIntents(), r.GetSteps())
	if err != nil && ctx.Err() == nil {
		err = status.Error(codes.FailedPrecondition, err.Error())
	}
	return reply, err
}

// encoded is a message that has been encoded.
type encoded []byte

// codec sends encoded messages as they are.
type codec struct{ encoding.CodecV2 }

// Marshal implements [encoding.CodecV2]. It copies, since the buffer is used again.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if data, ok := v.(encoded); ok {
		return mem.BufferSlice{mem.Copy(data, mem.DefaultBufferPool())}, nil
	}
	return c.CodecV2.Marshal(v)
}
