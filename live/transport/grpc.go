package transport

import (
	"context"
	"errors"
	"io"
	"net"
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

// GRPC serves a run by gRPC. A token comes in the metadata, as "authorization: Bearer TOKEN".
type GRPC struct {
	rpc.UnimplementedLiveServer
	service
	server *grpc.Server
}

// NewGRPC returns a server of a run.
func NewGRPC(run *live.Server, o Options) *GRPC {
	g := &GRPC{service: newService(run, o)}
	set := []grpc.ServerOption{
		grpc.ForceServerCodecV2(codec{encoding.GetCodecV2("proto")}),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(16), // of a connection
		grpc.ConnectionTimeout(o.helloTimeout()),
		grpc.MaxHeaderListSize(16 << 10),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time: pingEvery, Timeout: stallTimeout, MaxConnectionIdle: o.idleTimeout(),
		}),
		// Before a message is read, so that who has no token makes the server keep none.
		grpc.InTapHandle(func(ctx context.Context, _ *tap.Info) (context.Context, error) {
			role, err := g.role(ctx)
			return context.WithValue(ctx, roleKey{}, role), err
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
	g.gate.Listener = l
	return g.server.Serve(g.gate)
}

// Close ends all connections. If the run has ended, clients are told so first.
func (g *GRPC) Close() {
	told := time.AfterFunc(closeWithin, g.server.Stop)
	defer told.Stop()
	g.server.GracefulStop()
}

type roleKey struct{}

func roleOf(ctx context.Context) live.Role { return ctx.Value(roleKey{}).(live.Role) }

// addressOf is the one that a request came from.
func addressOf(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		return p.Addr.String()
	}
	return ""
}

func (g *GRPC) role(ctx context.Context) (live.Role, error) {
	secret := ""
	if values := metadata.ValueFromIncomingContext(ctx, "authorization"); len(values) > 0 {
		secret = bearer(values[0])
	}
	role, err := g.gate.admit(ctx, addressOf(ctx), secret)
	switch {
	case err == nil:
		return role, nil
	case errors.Is(err, errToken):
		return 0, status.Error(codes.Unauthenticated, err.Error())
	}
	return 0, status.Error(codes.PermissionDenied, err.Error())
}

// Describe implements the service.
func (g *GRPC) Describe(context.Context, *wire.DescribeRequest) (*wire.Description, error) {
	return g.run.Description(), nil
}

// Join implements the service.
func (g *GRPC) Join(request *wire.JoinRequest, stream grpc.ServerStreamingServer[wire.Update]) error {
	c, err := g.run.Join(live.JoinOptions{
		Name: request.GetName(), Role: roleOf(stream.Context()), Session: request.GetSession(), After: request.GetAfter(),
		Origin: origin(addressOf(stream.Context())).String(),
	})
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

// sendAll calls send until it fails or what is sent has ended, and returns why. A client that does not read blocks
// send, so it runs on a goroutine that ends with the stream, which ends when the method of the service returns.
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
	return statusOf(err)
}

// statusOf says why nothing more comes.
func statusOf(err error) error {
	switch {
	case errors.Is(err, live.ErrSlow): // rpc.Follower joins again
		return status.Error(codes.ResourceExhausted, err.Error())
	case errors.Is(err, live.ErrMoved), errors.Is(err, live.ErrCrowd), errors.Is(err, live.ErrClosed):
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
	return g.converse(stream.Context(), nil, stream.Recv, func(u *wire.Update) error { return stream.Send(u.GetAck()) })
}

// Decide implements the service.
func (g *GRPC) Decide(stream grpc.BidiStreamingServer[wire.Intent, wire.Update]) error {
	return g.converse(stream.Context(), g.run.NewDecider(), stream.Recv, stream.Send)
}

func (g *GRPC) converse(
	ctx context.Context, decider *live.Decider, receive func() (*wire.Intent, error), send func(*wire.Update) error,
) error {
	err := converse(ctx, g.run, live.Sender{Role: roleOf(ctx), Decider: decider}, receive, send)
	if err == io.EOF {
		return nil
	}
	return statusOf(err)
}

// converse takes the intents of a client and sends it their acknowledgements and the decisions of a decider, which it
// closes; nil: none. It returns when one of these fails, ctx is done or, without a decider, there are no more
// intents. A client that does not read blocks send until the connection ends.
func converse(
	ctx context.Context, run *live.Server, sender live.Sender,
	receive func() (*wire.Intent, error), send func(*wire.Update) error,
) error {
	var sending sync.Mutex
	failures := make(chan error, 2)
	loop := func(next func() (*wire.Update, error)) {
		for {
			u, err := next()
			if err == nil {
				sending.Lock()
				err = send(u)
				sending.Unlock()
			}
			if err == io.EOF && sender.Decider != nil { // no more intents, but decisions
				return
			}
			if err != nil {
				failures <- err
				return
			}
		}
	}
	go loop(func() (*wire.Update, error) {
		in, err := receive()
		if err != nil {
			return nil, err
		}
		if len(in.GetSession()) > 0 {
			sender.Session = in.GetSession()
		}
		number, err := run.SubmitAs(sender, in)
		return &wire.Update{Kind: &wire.Update_Ack{Ack: live.Ack(in, number, err)}}, nil
	})
	if sender.Decider != nil {
		defer sender.Decider.Close()
		go loop(func() (*wire.Update, error) {
			d, err := sender.Decider.Next(ctx)
			return &wire.Update{Kind: &wire.Update_Decision{Decision: d}}, err
		})
	}
	select {
	case err := <-failures:
		return err
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

// Capture implements the service.
func (g *GRPC) Capture(request *wire.CaptureRequest, stream grpc.ServerStreamingServer[wire.Captures]) error {
	c, err := g.run.Capture(roleOf(stream.Context()), request)
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
	reply, err := g.run.Step(ctx, live.Sender{Session: r.GetSession(), Role: roleOf(ctx)}, r.GetIntents(), r.GetSteps())
	if err != nil && ctx.Err() == nil {
		err = status.Error(codes.FailedPrecondition, err.Error())
	}
	return reply, err
}

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
